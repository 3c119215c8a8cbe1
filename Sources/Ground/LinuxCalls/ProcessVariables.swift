import Glibc

/// The environment for a program that this process starts, byte for byte.
///
/// Names are compared by their bytes. A dictionary of strings would treat two encodings of an accented letter as the
/// same name.
public struct ProcessVariables: Sendable, Hashable {
  /// The variables in their order, each as `NAME=VALUE`.
  public private(set) var entries: [String]

  /// The environment of this process.
  public static var own: ProcessVariables {
    var entries: [String] = []
    var entry = environ
    while let text = entry.pointee {
      entries.append(String(systemText: text))
      entry += 1
    }
    return ProcessVariables(entries: entries)
  }

  /// The value of a variable. Setting nil removes the variable. If several entries have the same name, the first entry
  /// decides, as with getenv(3).
  public subscript(name: String) -> String? {
    get {
      let entry = entries.first { Self.has($0, name) }
      return entry.map { String($0.unicodeScalars.dropFirst(name.unicodeScalars.count + 1)) }
    }
    set {
      entries.removeAll { Self.has($0, name) }
      if let newValue { entries.append("\(name)=\(newValue)") }
    }
  }

  /// The values by name, for look-ups.
  public var values: [String: String] {
    let pairs = entries.map { $0.unicodeScalars.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false) }
    return Dictionary(
      pairs.filter { $0.count == 2 }.map { (String($0[0]), String($0[1])) }, uniquingKeysWith: { first, _ in first })
  }

  private static func has(_ entry: String, _ name: String) -> Bool {
    entry.utf8.starts(with: name.utf8) && entry.utf8.dropFirst(name.utf8.count).first == UInt8(ascii: "=")
  }
}
