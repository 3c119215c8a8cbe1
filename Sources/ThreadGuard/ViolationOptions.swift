import CThreadGuard
import Glibc

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
    public var description: String { "\(path): \(String(cString: strerror(code)))" }
  }

  /// Sets what becomes of violations. Safe from any thread.
  ///
  /// - Throws: ``UnreadableSuppressions``, with everything else set.
  public static func configure(_ options: ViolationOptions) throws(UnreadableSuppressions) {
    for (kind, mode) in options.modes { ctg_set_mode(kind.cValue, mode.cValue) }
    if let limit = options.limit { ctg_set_report_limit(UInt32(clamping: limit)) }
    if let status = options.exitStatus { ctg_set_exit_status(status) }
    guard let path = options.suppressions else { return }
    let error = ctg_read_suppressions(path)
    if error != 0 { throw UnreadableSuppressions(path: path, code: error) }
  }

  /// Sets what becomes of violations of one kind, unless `THREADGUARD_OPTIONS` says it. Safe from any thread.
  public static func setMode(_ mode: ViolationMode, for kind: Violation.Kind) { ctg_set_mode(kind.cValue, mode.cValue) }

  /// What becomes of violations of a kind. Safe from any thread.
  public static func mode(for kind: Violation.Kind) -> ViolationMode {
    ViolationMode(cValue: ctg_mode_of(kind.cValue))
  }
}

extension ThreadGuard.ViolationMode {
  fileprivate static let inOrder: [Self] = [.log, .collect, .report, .abort]
  var cValue: ctg_violation_mode { ctg_violation_mode(UInt32(Self.inOrder.firstIndex(of: self)!)) }
  init(cValue: ctg_violation_mode) { self = Self.inOrder[Int(cValue.rawValue)] }
}
