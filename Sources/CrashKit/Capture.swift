import CCrashCapture
import LinuxCalls

extension CrashKit {
  /// Makes a report of all threads, of the kind `capture`. The program continues.
  ///
  /// Threads stop only briefly. A running thread copies its own stack, at most 256 KiB of it, and continues. If a
  /// thread waits in a system call, another thread reads its stack, so calls such as `epoll_wait` and `nanosleep` are
  /// not interrupted. The report has addresses, but no function names. You may call `capture` from any thread, but not
  /// from a signal handler. Only one capture runs at a time.
  ///
  /// - Parameter message: the report's `description`; up to 1,024 bytes.
  /// - Returns: the report's path; `nil` if there is no folder and the report went to stderr as numbered lines.
  /// - Throws: `CaptureError` if there is no report.
  @discardableResult
  public static func capture(_ message: String) throws(CaptureError) -> String? {
    var result = ck_live_result()
    var message = message
    message.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { ck_capture($0.baseAddress, $0.count, &result) }
    }
    return try path(result)
  }

  /// Makes a report of an error that is not fatal, of the kind `error`. The program continues.
  ///
  /// The report is like that of ``capture(_:)``. If ``Configuration/keepsThrownErrors`` is on, it also shows where this
  /// error was thrown. `description` has the name of the error's type and the error's own description, up to 1,024
  /// bytes, without credentials.
  ///
  /// - Parameter error: the error, as you caught it. If you cast the error to its own type and back to `any Error`,
  ///   Swift makes a copy. CrashKit does not recognize the copy as the thrown error, so the report does not show where
  ///   it was thrown.
  /// - Returns: the report's path; `nil` if there is no folder and the report went to stderr as numbered lines.
  /// - Throws: `CaptureError` if there is no report.
  @discardableResult
  public static func capture(error: any Error) throws(CaptureError) -> String? {
    var result = ck_live_result()
    var description = "\(type(of: error)): \(error)"
    withExtendedLifetime(error) {
      // Without the cast the compiler hands over the value in the box.
      let box = unsafeBitCast(error as any Error, to: UnsafeRawPointer.self)
      description.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) { ck_capture_error(box, $0.baseAddress, $0.count, &result) }
      }
    }
    return try path(result)
  }

  private static func path(_ result: ck_live_result) throws(CaptureError) -> String? {
    switch result.error {
    case 0: return text(of: result.path)
    case Int32(CK_LIVE_NOT_INSTALLED): throw CaptureError(.notInstalled)
    case Int32(CK_LIVE_CRASHING): throw CaptureError(.crashing)
    default: throw CaptureError(.system(result.error))
    }
  }
}

extension CrashKit.CaptureError: CustomStringConvertible {
  /// The reason of the failure, in a few words.
  public var description: String {
    switch reason {
    case .notInstalled: "CrashKit is not installed"
    case .crashing: "the process is crashing"
    case .system(let code): "no report can be written: \(errorText(code))"
    }
  }
}
