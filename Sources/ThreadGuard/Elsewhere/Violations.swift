// ThreadGuard on systems other than Linux with glibc. It has the same face and checks nothing, as in a release build.
// Package.swift chooses. Scripts/checks/elsewhere.py compares the two faces.

extension ThreadGuard {
  /// Whether ThreadGuard works on this system: Linux with glibc. On other systems its checks compile to nothing.
  public static let isSupported = false

  /// Does nothing, because there are no violations.
  public static func onViolation(_ handler: (@Sendable (Violation) -> Void)?) {}

  /// Does nothing.
  public static func deliverViolations() {}

  /// Returns no violations.
  public static func takeViolations() -> (violations: [Violation], omitted: Int) { ([], 0) }

  /// Does nothing.
  public static func configure(_ options: ViolationOptions) throws(UnreadableSuppressions) {}

  /// Does nothing.
  public static func setMode(_ mode: ViolationMode, for kind: Violation.Kind) {}

  /// Returns the default.
  public static func mode(for kind: Violation.Kind) -> ViolationMode { .report }

  static var currentThreadName: String { "" }
}
