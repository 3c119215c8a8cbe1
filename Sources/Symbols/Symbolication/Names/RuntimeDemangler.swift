import Glibc

@_silgen_name("swift_demangle")
private func runtimeDemangle(
  _ name: UnsafePointer<CChar>?, _ length: UInt, _ output: UnsafeMutablePointer<CChar>?,
  _ size: UnsafeMutablePointer<UInt>?, _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?

/// Swift names in short form, C++ names in full.
@_silgen_name("_swift_backtrace_demangle")
private func backtraceDemangle(
  _ name: UnsafePointer<CChar>?, _ length: UInt, _ output: UnsafeMutablePointer<CChar>?,
  _ size: UnsafeMutablePointer<UInt>?
) -> UnsafeMutablePointer<CChar>?

/// The demanglers that the Swift runtime brings along.
enum RuntimeDemangler: UInt8 {
  /// Swift names in short form, C++ names in full.
  case short
  /// Swift names in full.
  case full

  /// A text of so many bytes is made at once.
  private static let longestAtOnce = 1 << 20

  /// The readable form of a name; `nil` if it is none of the demangler's, or too long.
  func demangle(_ mangled: String) -> String? {
    Self.mayBeLong(mangled) ? DemanglingProcess.demangle(mangled, self) : demangleHere(mangled)
  }

  /// Longer texts are none that a person reads.
  private static let longestResult = 64 << 10

  /// Both copy what a substitution stands for as often as it stands there, so each level of a hostile name multiplies the
  /// text: with three substitutions in each level, which is the worst, by three. C++ repeats the pattern of a pack for
  /// each of its elements.
  private static func mayBeLong(_ mangled: String) -> Bool {
    var mangled = mangled
    let count: Int
    var longest = mangled.utf8.count
    if mangled.begins(with: "_Z") {
      guard let marks = mangled.withUTF8(marksInCxx) else { return true }
      count = marks
    } else {
      let swift = SwiftSubstitutions(in: mangled)
      count = swift.count
      longest += swift.bytesOfWords
    }
    var levels = count / 3
    while levels > 0, longest <= longestAtOnce {
      longest *= 3
      levels -= 1
    }
    return longest > longestAtOnce
  }

  /// `S_`, `S0_`, `T_`: at most so many. Nil if there is a pack: `Dp` before a type and `sp` before an expression expand
  /// one.
  private static func marksInCxx(_ name: UnsafeBufferPointer<UInt8>) -> Int? {
    var marks = 0
    var last: UInt8 = 0
    for index in 0..<name.count {
      let byte = name[index]
      if byte == UInt8(ascii: "p"), last == UInt8(ascii: "D") || last == UInt8(ascii: "s") { return nil }
      marks += byte == UInt8(ascii: "S") || byte == UInt8(ascii: "T") ? 1 : 0
      last = byte
    }
    return marks
  }

  func demangleHere(_ mangled: String) -> String? {
    let length = UInt(mangled.utf8.count)
    return mangled.withCString { name in
      let result =
        switch self {
        case .short: backtraceDemangle(name, length, nil, nil)
        case .full: runtimeDemangle(name, length, nil, nil, 0)
        }
      guard let result else { return nil }
      defer { free(result) }
      return strlen(result) <= Self.longestResult ? String(cString: result) : nil
    }
  }
}
