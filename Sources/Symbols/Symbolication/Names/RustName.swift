/// Readable names for Rust's functions.
enum RustName {
  static func isMangled(_ name: String) -> Bool { name.hasPrefix("_R") }

  static func demangle(_ mangled: String, full: Bool) -> String? {
    var demangler = RustDemangler(mangled, showsHashes: full)
    return demangler.demangle()
  }

  /// Rust's older scheme is C++'s with a hash as last component: `_ZN4core3fmt5write17h0123456789abcdefE`.
  static func isLegacy(_ mangled: String) -> Bool {
    guard mangled.hasPrefix("_ZN") else { return false }
    // Compilers may append suffixes behind the last E.
    let name = Array(mangled.utf8)
    guard let end = name.lastIndex(of: UInt8(ascii: "E")), end >= 19 else { return false }
    let hash = name[(end - 16)..<end]
    return name[(end - 19)..<(end - 16)].elementsEqual("17h".utf8) && hash.allSatisfy(isHexDigit)
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
  }

  /// What the C++ demangler makes of such a name, cleared of the hash and of the escapes.
  static func fromLegacy(_ name: String, full: Bool) -> String {
    var name = Substring(name)
    if !full, let mark = name.lastHashMark { name = name[..<mark] }
    return unescape(name)
  }

  private static let escapes: [(escape: String, text: String)] = [
    ("$SP$", "@"), ("$BP$", "*"), ("$RF$", "&"), ("$LT$", "<"), ("$GT$", ">"), ("$LP$", "("), ("$RP$", ")"),
    ("$C$", ","), ("..", "::"),
  ]

  private static func unescape(_ name: Substring) -> String {
    var result = ""
    var rest = name
    while !rest.isEmpty {
      if rest.hasPrefix("_$"), result.isEmpty || result.hasSuffix("::") { rest = rest.dropFirst() }
      if let escape = escapes.first(where: { rest.hasPrefix($0.escape) }) {
        result += escape.text
        rest = rest.dropFirst(escape.escape.utf8.count)
      } else if rest.hasPrefix("$u"), let end = rest.dropFirst(2).firstIndex(of: "$"),
        let scalar = UInt32(rest[rest.index(rest.startIndex, offsetBy: 2)..<end], radix: 16).flatMap(
          Unicode.Scalar.init)
      {
        result.unicodeScalars.append(scalar)
        rest = rest[rest.index(after: end)...]
      } else {
        result.append(rest.removeFirst())
      }
    }
    return result
  }
}

extension Substring {
  /// Where "::h" and 16 digits end the name.
  fileprivate var lastHashMark: Index? {
    guard utf8.count > 19 else { return nil }
    let mark = utf8.index(endIndex, offsetBy: -19)
    return self[mark...].hasPrefix("::h") ? mark : nil
  }
}
