import CrashReportModel

/// The types around a Swift function and its name, of a frame's description.
struct FunctionPath: Hashable {
  /// `["Orders", "Refunds"]`
  let types: [String]
  /// `total(of:)`
  let name: String
  /// Whether the frame is in a closure of the function.
  let isClosure: Bool

  /// Of `closure #1 in Orders.total(of:)`.
  init?(_ frame: CrashReport.Frame) {
    guard var text = frame.plainName?[...] else { return nil }
    if text.hasSuffix("]"), let notes = text.ranges(of: " [").last { text = text[..<notes.lowerBound] }
    let owner = text.ranges(of: "closure #").isEmpty ? nil : text.ranges(of: " in ").last
    isClosure = owner != nil
    if let owner { text = text[owner.upperBound...] }
    if text.hasPrefix("static ") { text = text.dropFirst("static ".count) }
    var parts = Self.parts(of: text)
    guard let last = parts.popLast(), last.hasSuffix(")"), last != ")" else { return nil }
    types = parts
    name = last
  }

  /// Separated by dots, but not by those in parentheses, brackets and names in backticks.
  private static func parts(of text: Substring) -> [String] {
    var parts = [""]
    var depth = 0
    var isQuoted = false
    for character in text {
      switch character {
      case "`": isQuoted.toggle()
      case "(", "<", "[": depth += 1
      case ")", ">", "]": depth -= 1
      default: break
      }
      if character == ".", depth == 0, !isQuoted {
        parts.append("")
      } else {
        parts[parts.count - 1].append(character)
      }
    }
    return parts
  }

  /// Whether another frame is in the same function, in a closure or not.
  func isSame(as other: FunctionPath) -> Bool { types == other.types && name == other.name }
}

extension CrashReport.Frame {
  /// The function's name without the offset that `description` ends with.
  var plainName: String? {
    guard let text = description, !text.isEmpty else { return nil }
    guard let offset, text.hasSuffix(" + \(offset)") else { return text }
    return String(text.dropLast(" + \(offset)".count))
  }

  /// The module of a Swift function: the first name in its mangled one.
  var module: String? {
    guard let symbol, symbol.hasPrefix("$s") else { return nil }
    let rest = symbol.dropFirst(2)
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    guard let first = digits.first, first != "0", let length = Int(digits) else { return nil }
    let name = rest.dropFirst(digits.count).prefix(length)
    return name.count == length ? String(name) : nil
  }
}
