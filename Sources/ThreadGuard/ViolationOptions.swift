#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension ThreadGuard {
  /// What ThreadGuard does with a violation.
  public enum ViolationMode: String, Sendable, Hashable, CaseIterable {
    /// ThreadGuard prints a few lines on stderr.
    case log
    /// ThreadGuard stores the violation in memory, for ``ThreadGuard/takeViolations()``.
    case collect
    /// ThreadGuard writes a report file, and prints a few lines on stderr. This is the default.
    case report
    /// Works like `report`, and then ThreadGuard calls `abort()`. If CrashKit is installed, CrashKit writes a full
    /// report.
    case abort
  }

  /// Options for violations. `THREADGUARD_OPTIONS` overrides them. You may set them from any thread, at any time.
  public struct ViolationOptions: Sendable, Hashable {
    /// The mode of each kind. A kind that is missing here does not change.
    public var modes: [Violation.Kind: ViolationMode]
    /// How many violations ThreadGuard reports in one process. It counts the others, but does not report them. The
    /// default is 100; `nil` leaves the limit unchanged.
    public var limit: Int?
    /// The exit status, from 1 to 255, that replaces the status 0 of a process in which ThreadGuard reported a
    /// violation. With 0, the status is not replaced. With `nil`, the setting stays unchanged.
    public var exitStatus: Int32?
    /// The path of a suppression file. Its rules are added to the existing rules.
    public var suppressions: String?

    /// Makes options. An option that you leave out keeps the value that is set in ThreadGuard.
    public init(
      modes: [Violation.Kind: ViolationMode] = [:], limit: Int? = nil, exitStatus: Int32? = nil,
      suppressions: String? = nil
    ) {
      self.modes = modes
      self.limit = limit
      self.exitStatus = exitStatus
      self.suppressions = suppressions
    }

    /// Sets the same mode for every kind.
    public init(mode: ViolationMode) {
      self.init(modes: Dictionary(uniqueKeysWithValues: Violation.Kind.allCases.map { ($0, mode) }))
    }
  }

  /// The suppression file could not be read.
  public struct UnreadableSuppressions: Error, CustomStringConvertible {
    /// The file.
    public let path: String
    /// The reason, as an `errno`.
    public let code: Int32
    /// The ``path``, and the system's text for ``code``.
    public var description: String { "\(path): \(String(cString: strerror(code)))" }
  }
}
