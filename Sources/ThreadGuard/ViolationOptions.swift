#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension ThreadGuard {
  /// What becomes of a violation.
  public enum ViolationMode: String, Sendable, Hashable, CaseIterable {
    /// A few lines on stderr.
    case log
    /// Kept in memory, for ``ThreadGuard/takeViolations()``.
    case collect
    /// A report file, and a few lines on stderr. The default.
    case report
    /// As `report`, and then the process dies by `abort()`, with a full report where CrashKit is installed.
    case abort
  }

  /// What becomes of violations. What `THREADGUARD_OPTIONS` sets overrules this. From any thread, at any time.
  public struct ViolationOptions: Sendable, Hashable {
    /// What becomes of each kind; a kind that is not here is left as it is.
    public var modes: [Violation.Kind: ViolationMode]
    /// How many violations one process reports; more are counted only. 100 by default; `nil` leaves it as it is.
    public var limit: Int?
    /// The status that the process exits with, from 1 to 255, where it would have been 0 and a violation was reported;
    /// 0 for none. `nil` leaves it as it is.
    public var exitStatus: Int32?
    /// The path of a suppression file, whose rules are added.
    public var suppressions: String?

    /// Takes the options; those that are left out stay as they are.
    public init(
      modes: [Violation.Kind: ViolationMode] = [:], limit: Int? = nil, exitStatus: Int32? = nil,
      suppressions: String? = nil
    ) {
      self.modes = modes
      self.limit = limit
      self.exitStatus = exitStatus
      self.suppressions = suppressions
    }

    /// The same mode for every kind.
    public init(mode: ViolationMode) {
      self.init(modes: Dictionary(uniqueKeysWithValues: Violation.Kind.allCases.map { ($0, mode) }))
    }
  }

  /// The suppression file could not be read.
  public struct UnreadableSuppressions: Error, CustomStringConvertible {
    /// The file.
    public let path: String
    /// Why, as an `errno`.
    public let code: Int32
    /// The ``path``, and the system's words for ``code``.
    public var description: String { "\(path): \(String(cString: strerror(code)))" }
  }
}
