/// Tokens that are known by their looks, whatever stands before them. `secret_tokens.c` has the same table.
enum SecretTokens {
  private static let longestJWTHeader = 512
  private static let longestPEMName = 40
  private static let shortestTokenOfAScheme = 8

  /// What begins a token, and how many characters follow at least: as gitleaks and the services' own pages have them. By
  /// the first letter.
  private static let shapes = Dictionary(
    grouping: [
      ("AKIA", 16), ("ASIA", 16), ("AIza", 30), ("AGE-SECRET-KEY-1", 20), ("PMAK-", 20), ("SG.", 20), ("dop_v1_", 32),
      ("dckr_pat_", 20), ("discord.com/api/webhooks/", 8), ("ghp_", 20), ("gho_", 20), ("ghu_", 20), ("ghs_", 20),
      ("ghr_", 20), ("github_pat_", 20), ("glpat-", 16), ("glsa_", 20), ("hf_", 30), ("hvs.", 20),
      ("hooks.slack.com/services/", 8), ("lin_api_", 20), ("npm_", 30), ("pypi-", 16), ("rk_live_", 10),
      ("rk_test_", 10), ("sk_live_", 10), ("sk_test_", 10), ("sk-", 20), ("shpat_", 20), ("sntrys_", 20),
      ("whsec_", 16), ("xoxa-", 10), ("xoxb-", 10), ("xoxp-", 10), ("xoxr-", 10), ("xoxs-", 10), ("xapp-", 10),
      ("ya29.", 20),
    ].map { (prefix: Array($0.0.utf8), least: $0.1) }, by: { $0.prefix[0] })

  /// The token that begins at an index. Behind "Bearer " and "Basic " it is what follows.
  static func token(in text: [UInt8], at index: Int) -> Range<Int>? {
    switch text[index] {
    case UInt8(ascii: "B"): afterScheme(text, index)
    case UInt8(ascii: "e"): webToken(text, index)
    case UInt8(ascii: "-"): privateKey(text, index)
    default: shaped(text, index)
    }
  }

  private static func shaped(_ text: [UInt8], _ index: Int) -> Range<Int>? {
    for shape in shapes[text[index]] ?? [] where text[index...].starts(with: shape.prefix) {
      let body = index + shape.prefix.count
      let least = text[body...].prefix(shape.least)
      guard least.count == shape.least, least.allSatisfy(\.isInShape) else { continue }
      return index..<runEnd(text, body)
    }
    return nil
  }

  /// Two parts in base64 of JSON, and a signature.
  private static func webToken(_ text: [UInt8], _ index: Int) -> Range<Int>? {
    guard text[index...].starts(with: "eyJ".utf8) else { return nil }
    let header = text[index...].prefix(longestJWTHeader).prefix(while: \.isInToken)
    guard let dot = header.firstIndex(of: UInt8(ascii: ".")), text[(dot + 1)...].starts(with: "eyJ".utf8) else {
      return nil
    }
    return index..<runEnd(text, dot)
  }

  private static func privateKey(_ text: [UInt8], _ index: Int) -> Range<Int>? {
    guard text[index...].starts(with: "-----BEGIN ".utf8) else { return nil }
    let names = index..<min(index + longestPEMName, text.count)
    guard let name = names.first(where: { text[$0...].starts(with: "PRIVATE KEY".utf8) }) else { return nil }
    guard let end = (name..<text.count).first(where: { text[$0...].starts(with: "-----END ".utf8) }),
      let close = (end + 9..<text.count).first(where: { text[$0...].starts(with: "-----".utf8) })
    else { return index..<text.count }
    return index..<close + 5
  }

  /// A word is no token: it has digits, or capitals inside.
  private static func afterScheme(_ text: [UInt8], _ index: Int) -> Range<Int>? {
    let scheme = ["Bearer ", "Basic "].first { text[index...].starts(with: $0.utf8) }
    guard let scheme else { return nil }
    let start = index + scheme.utf8.count
    let end = runEnd(text, start)
    guard end - start >= shortestTokenOfAScheme else { return nil }
    let isMixed = text[(start + 1)..<end].contains { byte in
      byte.isDigit || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || byte == UInt8(ascii: "=")
    }
    return isMixed ? start..<end : nil
  }

  private static func runEnd(_ text: [UInt8], _ index: Int) -> Int {
    text[index...].firstIndex { !$0.isInToken } ?? text.count
  }
}

extension UInt8 {
  var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

  var isTokenLetter: Bool { isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }

  fileprivate var isInShape: Bool { isTokenLetter || "_-./".utf8.contains(self) }

  fileprivate var isInToken: Bool { isTokenLetter || "_-.~+/=".utf8.contains(self) }
}
