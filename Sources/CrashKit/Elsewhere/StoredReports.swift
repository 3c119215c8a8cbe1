extension CrashKit.StoredReport {
  /// Reads nothing.
  public func data() throws(CrashKit.StoredReportError) -> [UInt8] { [] }

  /// Changes nothing and returns `false`.
  @discardableResult
  public func markHandled() throws(CrashKit.StoredReportError) -> Bool { false }

  /// Changes nothing and returns `false`.
  @discardableResult
  public func remove() throws(CrashKit.StoredReportError) -> Bool { false }
}

extension CrashKit.StoredReportError: CustomStringConvertible {
  /// The ``subject``, and the number of the error.
  public var description: String { "\(subject): error \(code)" }
}

extension CrashKit {
  /// Returns no reports.
  public static func storedReports(
    in directory: String? = nil, includingHandled: Bool = false
  ) throws(StoredReportError) -> [StoredReport] { [] }
}
