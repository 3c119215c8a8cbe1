/// Rust's v0 mangling (RFC 2603), which neither the C++ demangler nor the Swift runtime knows: paths.
/// Types and constants are in extensions of their own. Depth and output are bounded.
struct RustDemangler {
  private let input: [UInt8]
  var position: Int
  private(set) var output = ""
  var hasFailed = false
  /// Lifetimes bound around the current place.
  var boundLifetimes: UInt64 = 0
  private let showsHashes: Bool
  private var isSilent = false
  private var depth = 0

  private static let deepest = 256
  private static let longest = 32 << 10

  init(_ mangled: String, showsHashes: Bool) {
    let name = mangled.utf8.dropFirst(2)
    // Vendors append suffixes behind a dot or a dollar sign.
    input = Array(name.prefix { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "$") })
    position = 0
    self.showsHashes = showsHashes
  }

  mutating func demangle() -> String? {
    while isAtDigit { position += 1 }
    path(inValue: true)
    if position < input.count, !hasFailed {
      // The crate that a generic was made for: not part of the name.
      silently { $0.path(inValue: false) }
    }
    return hasFailed || output.isEmpty ? nil : output
  }

  // MARK: Reading

  var peek: UInt8 { position < input.count ? input[position] : 0 }

  private var isAtDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(peek) }

  mutating func next() -> UInt8 {
    guard position < input.count else {
      hasFailed = true
      return 0
    }
    position += 1
    return input[position - 1]
  }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard peek == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  /// Whether the list goes on: eats its end.
  mutating func goesOn() -> Bool { !hasFailed && !take("E") }

  mutating func base62() -> UInt64 {
    if take("_") { return 0 }
    var value: UInt64 = 0
    while !take("_"), !hasFailed {
      let byte = next()
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "z"): digit = byte - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit = byte - UInt8(ascii: "A") + 36
      default:
        hasFailed = true
        return 0
      }
      let (product, overflow) = value.multipliedReportingOverflow(by: 62)
      let (sum, overflow2) = product.addingReportingOverflow(UInt64(digit))
      if overflow || overflow2 { hasFailed = true }
      value = sum
    }
    return value &+ 1
  }

  mutating func optionalBase62(_ tag: Unicode.Scalar) -> UInt64 { take(tag) ? base62() &+ 1 : 0 }

  mutating func identifier() -> String {
    let isPunycode = take("u")
    var length = 0
    if !take("0") {
      guard isAtDigit else {
        hasFailed = true
        return ""
      }
      while isAtDigit, length < 1 << 20 { length = length * 10 + Int(next() - UInt8(ascii: "0")) }
    }
    _ = take("_")
    guard length <= input.count - position else {
      hasFailed = true
      return ""
    }
    defer { position += length }
    let bytes = input[position..<(position + length)]
    return isPunycode ? Punycode.decode(bytes) ?? "" : String(decoding: bytes, as: UTF8.self)
  }

  // MARK: Writing

  mutating func write(_ text: String) {
    guard !isSilent else { return }
    output += text
    if output.utf8.count > Self.longest { hasFailed = true }
  }

  mutating func silently(_ body: (inout Self) -> Void) {
    let wasSilent = isSilent
    isSilent = true
    body(&self)
    isSilent = wasSilent
  }

  mutating func nested(_ body: (inout Self) -> Void) {
    depth += 1
    defer { depth -= 1 }
    if depth > Self.deepest { hasFailed = true }
    if !hasFailed { body(&self) }
  }

  /// Goes on at an earlier place; the tag has been read.
  mutating func backReference(_ body: (inout Self) -> Void) {
    let here = position - 1
    let target = base62()
    guard target < UInt64(here), !hasFailed else {
      hasFailed = true
      return
    }
    // What is not written need not be read again.
    guard !isSilent else { return }
    let resume = position
    position = Int(target)
    nested(body)
    position = resume
  }

  // MARK: Paths

  mutating func path(inValue: Bool) {
    nested { $0.pathBody(inValue: inValue) }
  }

  private mutating func pathBody(inValue: Bool) {
    let tag = next()
    switch Unicode.Scalar(tag) {
    case "C":
      let hash = optionalBase62("s")
      write(identifier())
      if showsHashes { write("[" + String(hash, radix: 16) + "]") }
    case "N": nestedPath(inValue: inValue)
    case "M", "X", "Y":
      if tag != UInt8(ascii: "Y") {
        _ = optionalBase62("s")
        silently { $0.path(inValue: false) }
      }
      write("<")
      type()
      if tag != UInt8(ascii: "M") {
        write(" as ")
        path(inValue: false)
      }
      write(">")
    case "I":
      path(inValue: inValue)
      if inValue { write("::") }
      write("<")
      genericArguments()
      write(">")
    case "B": backReference { $0.path(inValue: inValue) }
    default: hasFailed = true
    }
  }

  private mutating func nestedPath(inValue: Bool) {
    let space = next()
    path(inValue: inValue)
    let number = optionalBase62("s")
    let name = identifier()
    if (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(space) {
      let kind =
        space == UInt8(ascii: "C") ? "closure" : space == UInt8(ascii: "S") ? "shim" : String(Unicode.Scalar(space))
      write("::{" + kind + (name.isEmpty ? "" : ":" + name) + "#" + String(number) + "}")
    } else if !name.isEmpty {
      write("::" + name)
    }
  }

  mutating func genericArguments() {
    var isFirst = true
    while goesOn() {
      if !isFirst { write(", ") }
      isFirst = false
      if take("L") { lifetime(base62()) } else if take("K") { constant() } else { type() }
    }
  }
}
