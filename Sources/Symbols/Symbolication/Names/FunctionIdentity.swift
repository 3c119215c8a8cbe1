/// Gives a function a name that is the same in every build.
public enum FunctionIdentity {
  /// The simplified name without the parts that differ between builds of the same source: the compiler's variants of
  /// the function, the numbers of closures and local functions, and for C++ the parameters.
  ///
  /// All parts of an asynchronous function and all its specialised copies have the same name.
  public static func name(ofLinkageName linkageName: String) -> String {
    let shown = Demangler.demangle(linkageName, full: false, withDefaults: true)
    if Demangler.isSwift(linkageName) { return withoutNumbers(String(ReadableSwiftName.parts(of: shown).function)) }
    return withoutNumbers(linkageName.hasPrefix("_Z") ? withoutParameters(shown) : shown)
  }

  /// `closure in work()` for `closure #2 in work()`.
  private static func withoutNumbers(_ name: String) -> String {
    guard name.utf8.contains(UInt8(ascii: "#")) else { return name }
    let bytes = Array(name.utf8)
    var kept: [UInt8] = []
    var index = 0
    while index < bytes.count {
      let digits = bytes[index] == UInt8(ascii: "#") ? bytes[(index + 1)...].prefix(while: isDigit).count : 0
      if digits > 0 {
        if kept.last == UInt8(ascii: " ") { kept.removeLast() }
        index += 1 + digits
      } else {
        kept.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: kept, as: UTF8.self)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  /// `shop::sell` for `shop::sell(int, Basket const&) const`.
  private static func withoutParameters(_ name: String) -> String {
    guard let close = name.utf8.lastIndex(of: UInt8(ascii: ")")) else { return name }
    var depth = 0
    var index = close
    while true {
      if name.utf8[index] == UInt8(ascii: ")") { depth += 1 }
      if name.utf8[index] == UInt8(ascii: "(") { depth -= 1 }
      if depth == 0 { break }
      guard index > name.startIndex else { return name }
      index = name.utf8.index(before: index)
    }
    // `(anonymous namespace)::x` and `operator()` have parentheses of their own.
    let rest = name.utf8[name.utf8.index(after: close)...]
    let isParameterList = rest.isEmpty || rest.first == UInt8(ascii: " ") || rest.first == UInt8(ascii: "&")
    return isParameterList && index > name.startIndex ? String(name[..<index]) : name
  }
}
