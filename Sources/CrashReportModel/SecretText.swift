/// Replaces credentials inside of a text. `secret_text.c` has the same rules for the process that dies; a test holds both
/// to one table.
private struct SecretText {
  private static let longestKey = 128
  private static let shortestSpacedValue = 4
  private static let randomLength = 20

  let text: [UInt8]
  private var result: [UInt8] = []
  private var kept = 0
  // The last word that may be a key; what may stand between it and its value has been read if `isClosed`.
  private var key = 0..<0
  private var isClosed = false
  private var isQuoted = false
  // The word around the last URL, and its last "@".
  private var word: (end: Int, lastAt: Int?) = (0, nil)

  init(_ text: [UInt8]) { self.text = text }

  /// The text without credentials; `nil` if it holds none.
  mutating func masked() -> [UInt8]? {
    var index = 0
    while index < text.count { index = step(index) }
    guard kept > 0 else { return nil }
    return result + text[kept...]
  }

  /// Returns where to read on.
  private mutating func mask(_ range: Range<Int>) -> Int {
    result += text[kept..<range.lowerBound]
    result += CrashReport.secretMask.utf8
    kept = range.upperBound
    key = 0..<0
    return kept
  }

  private func at(_ index: Int) -> UInt8 { index < text.count ? text[index] : 0 }

  private func end(from index: Int, where ends: (UInt8) -> Bool) -> Int {
    index < text.count ? text[index...].firstIndex(where: ends) ?? text.count : text.count
  }

  private mutating func step(_ index: Int) -> Int {
    let byte = text[index]
    let starts = index == 0 || !(text[index - 1].isTokenLetter || text[index - 1] == byte)
    if starts, let token = SecretTokens.token(in: text, at: index) { return mask(token) }
    if byte.isInKey { return readKey(index) }
    let isSign = byte == UInt8(ascii: ":") || byte == UInt8(ascii: "=")
    if byte == UInt8(ascii: ":"), at(index + 1) == UInt8(ascii: "/"), at(index + 2) == UInt8(ascii: "/") {
      return readURL(index + 3)
    }
    if isSign, at(index + 1) == byte {
      key = 0..<0
      return index + 2
    }
    if isSign, key.upperBound > 0 { return readValue(index) }
    return readOther(index)
  }

  private mutating func readKey(_ index: Int) -> Int {
    let start = key.upperBound == 0 || isClosed ? index : key.lowerBound
    (isClosed, isQuoted) = (false, false)
    key = start..<index + 1
    return index + 1
  }

  private mutating func readOther(_ index: Int) -> Int {
    isClosed = true
    if text[index].isQuote { isQuoted = true }
    if !text[index].isQuote, text[index] != UInt8(ascii: " "), text[index] != UInt8(ascii: "\\") { key = 0..<0 }
    return index + 1
  }

  // MARK: URLs

  /// Behind "://".
  private mutating func readURL(_ start: Int) -> Int {
    let authority = start..<end(from: start) { $0.endsWord || "/?#".utf8.contains($0) }
    var sign = text[authority].lastIndex(of: UInt8(ascii: "@"))
    key = 0..<0
    if sign == nil || sign == start, hasOpenPassword(authority) {
      if word.end <= start {
        let wordEnd = end(from: authority.upperBound, where: \.endsWord)
        word = (wordEnd, text[authority.upperBound..<wordEnd].lastIndex(of: UInt8(ascii: "@")))
      }
      if let lastAt = word.lastAt, lastAt > start { sign = lastAt }
    }
    guard let sign, sign > start else { return start }
    return mask(start..<sign)
  }

  /// Whether what follows the first ":" is no port: a password with a "/" in it, which it should not have.
  private func hasOpenPassword(_ authority: Range<Int>) -> Bool {
    guard let colon = text[authority].firstIndex(of: UInt8(ascii: ":")), text[authority.lowerBound] != UInt8(ascii: "[")
    else { return false }
    return text[(colon + 1)..<authority.upperBound].contains { !$0.isDigit }
  }

  // MARK: Keys and values

  private struct Value {
    var range: Range<Int>
    var isQuoted: Bool
    var isSpaced: Bool
  }

  /// At the "=" or ":" behind a key.
  private mutating func readValue(_ index: Int) -> Int {
    let isPair = text[index] == UInt8(ascii: "=")
    var secrecy = SecretKeys.secrecy(of: text[max(key.lowerBound, key.upperBound - Self.longestKey)..<key.upperBound])
    if secrecy == .none, isPair, isSignature { secrecy = .name }
    if secrecy != .none {
      let isArrow = isPair && at(index + 1) == UInt8(ascii: ">")
      let value = value(at: isArrow ? index + 2 : index + 1, secrecy)
      if !isNothing(value.range), isPair || !isProse(value, secrecy) { return mask(value.range) }
    }
    key = 0..<0
    return index + 1
  }

  private func value(at index: Int, _ secrecy: SecretKeys.Secrecy) -> Value {
    var start = end(from: index) { !$0.isBlank }
    let isSpaced = index < text.count && text[index].isBlank
    let isEscaped = at(start) == UInt8(ascii: "\\") && at(start + 1).isQuote
    if isEscaped { start += 1 }
    let quote = at(start)
    if quote.isQuote { start += 1 }
    var end: Int
    if quote.isQuote {
      end = quotedEnd(start, quote, isEscaped)
    } else if secrecy == .header {
      end = self.end(from: start) { $0.endsLine || $0.isQuote }
    } else if quote == UInt8(ascii: "[") || quote == UInt8(ascii: "{") {
      end = self.end(from: start, where: \.endsLine)
    } else {
      end = plainEnd(start)
    }
    // A private key has many lines.
    if start < text.count, let token = SecretTokens.token(in: text, at: start), token.lowerBound == start {
      end = max(end, token.upperBound)
    }
    return Value(range: start..<end, isQuoted: quote.isQuote, isSpaced: isSpaced)
  }

  private func quotedEnd(_ start: Int, _ quote: UInt8, _ isEscaped: Bool) -> Int {
    var index = start
    while index < text.count, text[index] != quote, !text[index].endsLine {
      if text[index] == UInt8(ascii: "\\"), !isEscaped, index + 1 < text.count { index += 1 }
      index += 1
    }
    return isEscaped && text[index - 1] == UInt8(ascii: "\\") ? index - 1 : index
  }

  /// "Bearer abc": the scheme alone is no secret.
  private func plainEnd(_ start: Int) -> Int {
    let end = end(from: start, where: \.endsValue)
    guard equals(start..<end, anyOf: ["bearer", "basic", "token", "digest", "negotiate"]), at(end) == UInt8(ascii: " ")
    else { return end }
    return self.end(from: end + 1, where: \.endsValue)
  }

  private func equals(_ range: Range<Int>, anyOf words: [String]) -> Bool {
    words.contains { text[range].lazy.map { $0 | 0x20 }.elementsEqual($0.utf8) }
  }

  /// What says that there is no secret.
  private func isNothing(_ range: Range<Int>) -> Bool {
    range.isEmpty || equals(range, anyOf: ["nil", "null", "none", "true", "false", "undefined"])
  }

  /// Sentences have colons too: "unexpected token: else".
  private func isProse(_ value: Value, _ secrecy: SecretKeys.Secrecy) -> Bool {
    if isQuoted || value.isQuoted { return false }
    // "Auth.swift:12"
    let hasDot = text[key].contains(UInt8(ascii: "."))
    if secrecy == .word || (hasDot && !value.isSpaced && at(value.range.lowerBound).isDigit) { return true }
    if !value.isSpaced || secrecy == .header { return false }
    if value.range.count < Self.shortestSpacedValue { return true }
    return secrecy == .token && value.range.count < Self.randomLength && !text[value.range].contains(where: \.isDigit)
  }

  /// A signature in the query of a URL opens what the URL names.
  private var isSignature: Bool {
    guard key.lowerBound > 0, "?&".utf8.contains(text[key.lowerBound - 1]) else { return false }
    return equals(key, anyOf: ["sig", "signature"])
  }
}

extension UInt8 {
  fileprivate var isInKey: Bool { isTokenLetter || "_.-".utf8.contains(self) }
  fileprivate var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
  fileprivate var isQuote: Bool { self == UInt8(ascii: "\"") || self == UInt8(ascii: "'") }
  fileprivate var endsLine: Bool { self == UInt8(ascii: "\n") || self == UInt8(ascii: "\r") }
  fileprivate var endsWord: Bool { self <= 0x20 || self == 0x7F || isQuote || "`<>".utf8.contains(self) }
  fileprivate var endsValue: Bool { endsWord || self == UInt8(ascii: "&") || self == UInt8(ascii: ";") }
}

extension CrashReport {
  /// What stands in place of a secret, as CrashKit writes it.
  package static let secretMask = "***"
}

extension String {
  /// The text with each credential replaced by "***": the user and the password of a URL, values after keys that look like
  /// secrets, bearer tokens, tokens of known services and private keys.
  package var withoutCredentials: String {
    var text = SecretText(Array(utf8))
    return text.masked().map { String(decoding: $0, as: UTF8.self) } ?? self
  }
}

extension [String] {
  /// A program's arguments without credentials, also those that are the value of an option such as "--token".
  package var argumentsWithoutCredentials: [String] {
    var isNext = false
    return map { argument in
      let bytes = [UInt8](argument.utf8)
      let isOption = bytes.count > 1 && bytes[0] == UInt8(ascii: "-")
      let isValue = isNext && !isOption
      let key = bytes.prefix(while: \.isInKey)
      let hasSecretKey = SecretKeys.secrecy(of: key) != .none
      isNext = isOption && key.count == bytes.count && hasSecretKey
      if isValue { return CrashReport.secretMask }
      guard hasSecretKey, key.count + 1 < bytes.count, bytes[key.count] == UInt8(ascii: "=") else {
        return argument.withoutCredentials
      }
      return String(decoding: key, as: UTF8.self) + "=" + CrashReport.secretMask
    }
  }
}
