/// Makes names readable: Swift, C++ and Rust. The Swift runtime's own demangler does the work for the first two.
enum Demangler {
  /// Names longer than this are shown as they are: what a demangler makes of a hostile one can be far longer.
  private static let longestName = 16 << 10

  /// The readable form. Unless `full`, a Swift name has no types and modules, a C++ name has no default template
  /// arguments of the standard library, and no name has the compiler's suffixes.
  ///
  /// - Parameter withDefaults: Whether a C++ name keeps those template arguments: they count in fingerprints.
  static func demangle(_ mangled: String, full: Bool, withDefaults: Bool = false) -> String {
    guard mangled.utf8.count <= longestName else { return mangled }
    if isSwift(mangled) {
      if full { return RuntimeDemangler.full.demangle(mangled) ?? mangled }
      return RuntimeDemangler.short.demangle(mangled).map { ReadableSwiftName(short: withoutMissingContext($0)).text }
        ?? mangled
    }
    let mangled = withoutVersion(mangled)
    if RustName.isMangled(mangled), let name = RustName.demangle(mangled, full: full) { return name }
    guard mangled.hasPrefix("_Z"), let name = RuntimeDemangler.short.demangle(mangled) else {
      return full ? mangled : withoutSuffixes(mangled)
    }
    if RustName.isLegacy(mangled) { return RustName.fromLegacy(name, full: full) }
    if full { return name }
    return withDefaults ? withoutCloneMark(name) : ReadableCxxName.simplified(withoutCloneMark(name))
  }

  /// The name with everything that the demangler knows, to find what kind of function it is.
  static func fullSwiftName(_ mangled: String) -> String? {
    guard isSwift(mangled), mangled.utf8.count <= longestName else { return nil }
    return RuntimeDemangler.full.demangle(mangled)
  }

  static func isSwift(_ name: String) -> Bool {
    swiftPrefixes.contains { name.begins(with: $0) }
  }

  private static let swiftPrefixes = ["$s", "$S", "_$s", "_$S", "$e", "_T0", "@__swiftmacro_"]

  /// A name of a symbol table without its version: `clone` for `clone@@GLIBC_2.2.5`.
  private static func withoutVersion(_ name: String) -> String {
    guard let sign = name.utf8.firstIndex(of: UInt8(ascii: "@")), sign != name.startIndex else { return name }
    return String(name[..<sign])
  }

  /// The demangler leaves the module out, which is all that a closure in top-level code is in.
  private static func withoutMissingContext(_ name: String) -> String {
    name.before(" in ") != nil ? name + "top-level code" : name
  }

  /// A C function's name without what GCC and LLVM append to parts and copies: `.cold`, `.part.0`, `.llvm.123`.
  private static func withoutSuffixes(_ name: String) -> String {
    guard let dot = name.utf8.firstIndex(of: UInt8(ascii: ".")), dot != name.startIndex else { return name }
    return String(name[..<dot])
  }

  /// A C++ name without " [clone .cold]".
  private static func withoutCloneMark(_ name: String) -> String {
    guard name.hasSuffix("]"), let mark = name.firstRange(of: " [clone ") else { return name }
    return String(name[..<mark.lowerBound])
  }
}
