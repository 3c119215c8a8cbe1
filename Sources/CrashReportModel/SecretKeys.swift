/// Which keys look as if their values were secrets. `secrets.c` has the same rule for the process that dies; a test holds
/// both to one table.
package enum SecretKeys {
  /// How sure it is that a key's value is a secret, which decides how much a text must look like one after it.
  enum Secrecy: Int, Comparable {
    case none
    /// A short word that means other things too: pass, auth, sid.
    case word
    /// Parsers have tokens as well.
    case token
    /// Password, API key, credential.
    case name
    /// Authorization, cookie: all the rest of the line is a secret.
    case header

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  /// Whether a key's value has to be masked.
  package static func isSecret(_ key: String) -> Bool { secrecy(of: Array(key.utf8)[...]) != .none }

  /// The strongest reason for which the key's value has to be masked.
  static func secrecy(of key: ArraySlice<UInt8>) -> Secrecy {
    // The shell's folders. In any other spelling "pwd" is a password.
    if key.elementsEqual("PWD".utf8) || key.elementsEqual("OLDPWD".utf8) { return .none }
    let letters = Letters(key)
    return letters.text.indices.map(letters.secrecy).max() ?? .none
  }

  private enum Place { case anywhere, endsWord, wholeWord }

  private struct Pattern {
    var text: [UInt8]
    var place: Place
    var secrecy: Secrecy
    /// What must not follow within the word.
    var unless: [UInt8]?

    init(_ text: String, _ place: Place, _ secrecy: Secrecy, unless: String? = nil) {
      self.text = Array(text.utf8)
      self.place = place
      self.secrecy = secrecy
      self.unless = unless.map { Array($0.utf8) }
    }
  }

  /// By their first letter.
  private static let patterns: [UInt8: [Pattern]] = {
    var patterns = [
      Pattern("secret", .anywhere, .name, unless: "ar"), Pattern("token", .anywhere, .token, unless: "i"),
      Pattern("pass", .endsWord, .word),
    ]
    patterns += ["authorization", "authorisation", "cookie"].map { Pattern($0, .anywhere, .header) }
    patterns += [
      "apikey", "accesskey", "bearer", "credential", "connectionstring", "encryptionkey", "mnemonic", "password",
      "passwd", "passphrase", "passcode", "pswd", "privatekey", "sessionid", "sessionkey", "signingkey",
      "xamzsignature", "xgoogsignature",
    ].map { Pattern($0, .anywhere, .name) }
    patterns += [
      "accountkey", "appkey", "applicationkey", "authkey", "clientkey", "connstr", "consumerkey", "cryptkey",
      "deploykey", "gpgkey", "hmackey", "licencekey", "licensekey", "masterkey", "pgpkey", "privkey", "pw", "pwd",
      "serverkey", "servicekey", "sharedkey", "sshkey", "storagekey", "subscriptionkey",
    ].map { Pattern($0, .endsWord, .name) }
    patterns += [
      "auth", "csrf", "dsn", "jwt", "oauth", "otp", "pat", "sid", "sk", "totp", "xsrf",
    ].map { Pattern($0, .wholeWord, .word) }
    return Dictionary(grouping: patterns) { $0.text[0] }
  }()

  /// Words that end in "pass" and hold none: "compass", and the programs that ask for a password.
  private static let beforesOfOtherPasses: Set<[UInt8]> = Set(
    [
      "ask", "by", "com", "encom", "multi", "over", "render", "single", "sub", "sur", "tres", "under",
    ].map { Array($0.utf8) })

  /// A key without its punctuation, in lower case, and where its words begin.
  private struct Letters {
    private static let most = 256
    var text: [UInt8] = []
    var begins: [Bool] = []

    init(_ key: ArraySlice<UInt8>) {
      var begins = true
      for (index, byte) in zip(key.indices, key) where text.count < Self.most {
        if byte.isUpper {
          // "dbPassword", and the P of "XPassword"
          let isAfterLower = index > key.startIndex && key[index - 1].isLower
          let isBeforeLower = index + 1 < key.endIndex && key[index + 1].isLower
          begins = begins || isAfterLower || (isBeforeLower && index > key.startIndex)
        } else if !byte.isLower {
          begins = true
          continue
        }
        self.begins.append(begins)
        text.append(byte | 0x20)
        begins = false
      }
      self.begins.append(true)
    }

    func secrecy(at start: Int) -> Secrecy {
      var most = Secrecy.none
      for pattern in SecretKeys.patterns[text[start]] ?? [] where pattern.secrecy > most {
        let end = start + pattern.text.count
        guard text[start...].starts(with: pattern.text) else { continue }
        switch pattern.place {
        case .anywhere: break
        case .endsWord: guard begins[end] else { continue }
        case .wholeWord: guard begins[start], begins[end] else { continue }
        }
        // What follows counts only within the same word: "token_id" is no "tokeni…".
        if let unless = pattern.unless, !begins[end], text[end...].starts(with: unless) { continue }
        if pattern.place == .endsWord, pattern.secrecy == .word, isOtherPass(at: start) { continue }
        most = pattern.secrecy
      }
      return most
    }

    private func isOtherPass(at start: Int) -> Bool {
      let word = begins[...start].lastIndex(of: true) ?? 0
      return word < start && SecretKeys.beforesOfOtherPasses.contains(Array(text[word..<start]))
    }
  }
}

extension UInt8 {
  fileprivate var isUpper: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }
  fileprivate var isLower: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }
}
