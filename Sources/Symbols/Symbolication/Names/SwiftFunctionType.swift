/// Function types as the compiler's lower levels have them, written as Swift source has them.
///
/// `@escaping @callee_guaranteed @async (@in_guaranteed A) -> (@out B, @error @owned Error)` is `(A) async throws -> B`.
struct SwiftFunctionType {
  /// The text with all function types in it rewritten.
  static func simplified(_ text: String) -> String {
    guard text.firstRange(of: "@") != nil else { return text }
    var parser = SwiftFunctionType(bytes: Array(text.utf8))
    let result = parser.list(closedBy: nil).map(\.text).joined(separator: ", ")
    return parser.isTooDeep ? text : result
  }

  /// An element of a list of parameters or results.
  private struct Element {
    var text = ""
    var isError = false
  }

  private static let deepest = 64

  private let bytes: [UInt8]
  private var position = 0
  private var depth = 0
  private var isTooDeep = false

  private init(bytes: [UInt8]) { self.bytes = bytes }

  /// Elements up to a closing parenthesis, which is consumed, or to the end.
  private mutating func list(closedBy end: UInt8?) -> [Element] {
    depth += 1
    defer { depth -= 1 }
    guard depth < Self.deepest else {
      isTooDeep = true
      position = bytes.count
      return []
    }
    var elements: [Element] = []
    while position < bytes.count {
      if bytes[position] == end {
        position += 1
        return elements
      }
      elements.append(element(within: end))
      if skip(", ") { continue }
    }
    return elements
  }

  /// One element: attributes, then a function type or any other text, in which there may be function types too.
  private mutating func element(within end: UInt8?) -> Element {
    var element = Element()
    var attributes = self.attributes()
    while position < bytes.count, bytes[position] != end, end == nil || !stands(", ") {
      let byte = bytes[position]
      if byte == UInt8(ascii: "@") {
        let found = self.attributes()
        attributes += found
        if found.isEmpty {
          element.text.append("@")
          position += 1
        }
      } else if byte == UInt8(ascii: "(") {
        position += 1
        let parameters = list(closedBy: UInt8(ascii: ")"))
        element.text += function(of: parameters, attributes)
        attributes = []
      } else {
        let start = position
        while position < bytes.count, bytes[position] != end, !stands(", "), bytes[position] != UInt8(ascii: "("),
          bytes[position] != UInt8(ascii: "@")
        {
          position += 1
        }
        if position == start { position += 1 }
        element.text += String(decoding: bytes[start..<position], as: UTF8.self)
      }
    }
    element.isError = attributes.contains("@error")
    if attributes.contains("@inout") { element.text = "inout " + element.text }
    return element
  }

  /// What stands in parentheses: a function's parameters where an arrow follows, else as it is.
  private mutating func function(of parameters: [Element], _ attributes: [String]) -> String {
    var text = "(" + parameters.map(\.text).joined(separator: ", ") + ")"
    guard stands(" -> (") else { return text }
    position += " -> (".utf8.count
    if attributes.contains("@async") { text += " async" }
    let results = list(closedBy: UInt8(ascii: ")"))
    if let error = results.first(where: \.isError) {
      text += error.text == "Error" ? " throws" : " throws(\(error.text))"
    }
    let values = results.filter { !$0.isError }
    let value = values.count == 1 ? values[0].text : "(" + values.map(\.text).joined(separator: ", ") + ")"
    return "\(text) -> \(value)"
  }

  /// Attributes, with the blanks behind them.
  private mutating func attributes() -> [String] {
    var found: [String] = []
    while position + 1 < bytes.count, bytes[position] == UInt8(ascii: "@"), Self.isWord(bytes[position + 1]) {
      let start = position
      position += 1
      while position < bytes.count, Self.isWord(bytes[position]) { position += 1 }
      // `@isolated(any) `, but not `@Sendable (`.
      if position < bytes.count, bytes[position] == UInt8(ascii: "("),
        let close = bytes[position...].firstIndex(of: UInt8(ascii: ")"))
      {
        position = close + 1
      }
      found.append(String(decoding: bytes[start..<position], as: UTF8.self))
      _ = skip(" ")
    }
    return found
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
      || byte == UInt8(ascii: "_")
  }

  private func stands(_ text: String) -> Bool { bytes[position...].starts(with: text.utf8) }

  private mutating func skip(_ text: String) -> Bool {
    guard stands(text) else { return false }
    position += text.utf8.count
    return true
  }
}
