extension CrashKit {
  /// Writes no report.
  ///
  /// - Throws: `CaptureError` with the reason `notInstalled`, always.
  @discardableResult
  public static func capture(_ message: String) throws(CaptureError) -> String? {
    throw CaptureError(.notInstalled)
  }

  /// Writes no report.
  ///
  /// - Throws: `CaptureError` with the reason `notInstalled`, always.
  @discardableResult
  public static func capture(error: any Error) throws(CaptureError) -> String? {
    throw CaptureError(.notInstalled)
  }
}

extension CrashKit.CaptureError: CustomStringConvertible {
  /// The reason of the failure, in a few words.
  public var description: String { "CrashKit does not work on this system" }
}
