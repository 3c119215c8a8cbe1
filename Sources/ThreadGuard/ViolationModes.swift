import CThreadGuard

extension ThreadGuard {
  /// Sets what ThreadGuard does with violations. You may call it from any thread.
  ///
  /// - Throws: ``UnreadableSuppressions`` if the suppression file cannot be read. The other options are set
  ///   nevertheless.
  public static func configure(_ options: ViolationOptions) throws(UnreadableSuppressions) {
    for (kind, mode) in options.modes { ctg_set_mode(kind.cValue, mode.cValue) }
    if let limit = options.limit { ctg_set_report_limit(UInt32(clamping: limit)) }
    if let status = options.exitStatus { ctg_set_exit_status(status) }
    guard let path = options.suppressions else { return }
    let error = ctg_read_suppressions(path)
    if error != 0 { throw UnreadableSuppressions(path: path, code: error) }
  }

  /// Sets what ThreadGuard does with violations of one kind. If `THREADGUARD_OPTIONS` sets the mode of this kind, the
  /// call has no effect. You may call it from any thread.
  public static func setMode(_ mode: ViolationMode, for kind: Violation.Kind) { ctg_set_mode(kind.cValue, mode.cValue) }

  /// What ThreadGuard does with violations of a kind. You may call it from any thread.
  public static func mode(for kind: Violation.Kind) -> ViolationMode {
    ViolationMode(cValue: ctg_mode_of(kind.cValue))
  }
}

extension ThreadGuard.ViolationMode {
  fileprivate static let inOrder: [Self] = [.log, .collect, .report, .abort]
  var cValue: ctg_violation_mode { ctg_violation_mode(UInt32(Self.inOrder.firstIndex(of: self)!)) }
  init(cValue: ctg_violation_mode) { self = Self.inOrder[Int(cValue.rawValue)] }
}
