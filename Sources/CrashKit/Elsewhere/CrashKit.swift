// CrashKit on systems other than Linux with glibc. It has the same face and does what it does on Linux if it is switched
// off, so that a program which uses it compiles for these systems too. Package.swift chooses. Types that hold values only
// are shared with Sources/CrashKit; Scripts/checks/elsewhere.py compares the two faces.

/// Captures the crashes of this process. On this system it does nothing.
///
/// You may call all functions from any thread.
public enum CrashKit {
  /// Whether CrashKit works on this system: Linux with glibc. On other systems it compiles, and behaves as if it is
  /// turned off.
  public static let isSupported = false

  /// Why `install` failed. It does not fail on this system.
  public struct InstallError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The `errno` of the system call that was refused.
    public let code: Int32

    /// The reason, with the number of the error.
    public var description: String { "CrashKit cannot be installed: error \(code)" }
  }

  /// Changes nothing. In the result, `isEnabled` is `false`.
  @discardableResult
  public static func install(_ configuration: Configuration = .init()) throws(InstallError) -> Installation {
    Installation(directory: nil, isEnabled: false)
  }

  /// Does nothing.
  public static func record(
    _ message: String, category: String = "", level: Level = .info, attributes: [String: String] = [:]
  ) {}

  /// Does nothing and returns `false`.
  @discardableResult
  public static func setAttribute(_ key: String, _ value: String?) -> Bool { false }

  /// Runs `operation`.
  public static func withContext<Result>(
    isolation: isolated (any Actor)? = #isolation, _ name: String, _ attributes: [String: String] = [:],
    trace: Trace? = nil, operation: () async throws -> Result
  ) async rethrows -> Result {
    try await operation()
  }

  /// Runs `operation`.
  public static func withContext<Result>(
    _ name: String, _ attributes: [String: String] = [:], trace: Trace? = nil, operation: () throws -> Result
  ) rethrows -> Result {
    try operation()
  }
}
