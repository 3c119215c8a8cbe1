import CLibdw

/// Turns addresses into source locations.
public struct Symbolicator: Sendable {
  static var version: String { String(cString: dwfl_version(nil)) }
}
