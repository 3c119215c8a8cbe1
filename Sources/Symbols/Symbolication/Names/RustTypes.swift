/// Types and constants in Rust's v0 mangling.
extension RustDemangler {
  private static let basicTypes: [Unicode.Scalar: String] = [
    "a": "i8", "b": "bool", "c": "char", "d": "f64", "e": "str", "f": "f32", "h": "u8", "i": "isize", "j": "usize",
    "l": "i32", "m": "u32", "n": "i128", "o": "u128", "p": "_", "s": "i16", "t": "u16", "u": "()", "v": "...",
    "x": "i64", "y": "u64", "z": "!",
  ]

  mutating func type() {
    nested { $0.typeBody() }
  }

  private mutating func typeBody() {
    let tag = next()
    if let name = Self.basicTypes[Unicode.Scalar(tag)] { return write(name) }
    switch Unicode.Scalar(tag) {
    case "R", "Q":
      write("&")
      if take("L") {
        let index = base62()
        if index != 0 {
          lifetime(index)
          write(" ")
        }
      }
      if tag == UInt8(ascii: "Q") { write("mut ") }
      type()
    case "P", "O":
      write(tag == UInt8(ascii: "P") ? "*const " : "*mut ")
      type()
    case "A", "S":
      write("[")
      type()
      if tag == UInt8(ascii: "A") {
        write("; ")
        constant()
      }
      write("]")
    case "T": tuple()
    case "F": withLifetimes { $0.function() }
    case "D":
      write("dyn ")
      withLifetimes { $0.traits() }
      if take("L") {
        let index = base62()
        if index != 0 {
          write(" + ")
          lifetime(index)
        }
      } else {
        hasFailed = true
      }
    case "B": backReference { $0.type() }
    default:
      position -= 1
      path(inValue: false)
    }
  }

  private mutating func tuple() {
    write("(")
    var count = 0
    while goesOn() {
      if count > 0 { write(", ") }
      type()
      count += 1
    }
    write(count == 1 ? ",)" : ")")
  }

  private mutating func function() {
    if take("U") { write("unsafe ") }
    if take("K") {
      let name = take("C") ? "C" : identifier()
      write("extern \"" + String(name.map { $0 == "_" ? "-" : $0 }) + "\" ")
    }
    write("fn(")
    var isFirst = true
    while goesOn() {
      if !isFirst { write(", ") }
      isFirst = false
      type()
    }
    write(")")
    if !take("u") {
      write(" -> ")
      type()
    }
  }

  private mutating func traits() {
    var isFirst = true
    while goesOn() {
      if !isFirst { write(" + ") }
      isFirst = false
      trait()
    }
  }

  /// A trait's path, its generic arguments left open for the associated types that follow.
  private mutating func trait() {
    var isOpen = openPath()
    while take("p"), !hasFailed {
      write(isOpen ? ", " : "<")
      isOpen = true
      write(identifier() + " = ")
      type()
    }
    if isOpen { write(">") }
  }

  private mutating func openPath() -> Bool {
    var isOpen = false
    if take("B") {
      backReference { isOpen = $0.openPath() }
    } else if take("I") {
      path(inValue: false)
      write("<")
      genericArguments()
      isOpen = true
    } else {
      path(inValue: false)
    }
    return isOpen
  }

  private mutating func withLifetimes(_ body: (inout Self) -> Void) {
    let outer = boundLifetimes
    let count = optionalBase62("G")
    guard count < 256 else {
      hasFailed = true
      return
    }
    if count > 0 {
      write("for<")
      for index in 0..<count {
        if index > 0 { write(", ") }
        boundLifetimes += 1
        lifetime(1)
      }
      write("> ")
    }
    body(&self)
    boundLifetimes = outer
  }

  /// Lifetimes are counted outwards from the innermost bound one, which is 1; 0 is an erased one.
  mutating func lifetime(_ index: UInt64) {
    guard index != 0 else { return write("'_") }
    guard index <= boundLifetimes else {
      hasFailed = true
      return
    }
    let depth = boundLifetimes - index
    write(depth < 26 ? "'" + String(Unicode.Scalar(UInt8(ascii: "a") + UInt8(depth))) : "'_" + String(depth))
  }

  mutating func constant() {
    nested { $0.constantBody() }
  }

  private mutating func constantBody() {
    if take("B") { return backReference { $0.constant() } }
    let tag = next()
    switch Unicode.Scalar(tag) {
    case "p": write("_")
    case "b": write(hexDigits() == "1" ? "true" : "false")
    case "c":
      let scalar = UInt32(hexDigits(), radix: 16).flatMap(Unicode.Scalar.init)
      write("'" + (scalar.map { String($0) } ?? "?") + "'")
    case "a", "s", "l", "x", "n", "i", "h", "t", "m", "y", "o", "j":
      if take("n") { write("-") }
      let digits = hexDigits()
      write(UInt64(digits, radix: 16).map { String($0) } ?? "0x" + digits)
    default: hasFailed = true
    }
  }

  private mutating func hexDigits() -> String {
    var digits = ""
    while !take("_"), !hasFailed, digits.utf8.count < 64 { digits.unicodeScalars.append(Unicode.Scalar(next())) }
    return digits.isEmpty ? "0" : digits
  }
}

/// Identifiers outside of ASCII (RFC 3492, with `_` as delimiter).
enum Punycode {
  static func decode(_ bytes: ArraySlice<UInt8>) -> String? {
    var scalars: [Unicode.Scalar] = []
    var rest = bytes
    if let delimiter = bytes.lastIndex(of: UInt8(ascii: "_")) {
      scalars = bytes[..<delimiter].map { Unicode.Scalar($0) }
      rest = bytes[(delimiter + 1)...]
    }
    var code: UInt64 = 128
    var place: UInt64 = 0
    var bias: UInt64 = 72
    while !rest.isEmpty {
      let start = place
      var weight: UInt64 = 1
      var threshold: UInt64 = 36
      while true {
        guard let byte = rest.popFirst(), let digit = digit(byte), weight < 1 << 40 else { return nil }
        place += digit * weight
        let limit = threshold <= bias ? 1 : min(threshold - bias, 26)
        if digit < limit { break }
        weight *= 36 - limit
        threshold += 36
      }
      let count = UInt64(scalars.count + 1)
      bias = adapt(place - start, count: count, isFirst: start == 0)
      code += place / count
      place %= count
      guard let scalar = UInt32(exactly: code).flatMap(Unicode.Scalar.init) else { return nil }
      scalars.insert(scalar, at: Int(place))
      place += 1
    }
    return String(String.UnicodeScalarView(scalars))
  }

  private static func digit(_ byte: UInt8) -> UInt64? {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt64(byte - UInt8(ascii: "a"))
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0")) + 26
    default: nil
    }
  }

  private static func adapt(_ difference: UInt64, count: UInt64, isFirst: Bool) -> UInt64 {
    var delta = isFirst ? difference / 700 : difference / 2
    delta += delta / count
    var bias: UInt64 = 0
    while delta > 455 {
      delta /= 35
      bias += 36
    }
    return bias + 36 * delta / (delta + 38)
  }
}
