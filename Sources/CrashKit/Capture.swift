import CCrashCapture
import LinuxCalls

extension CrashKit {
  /// Makes a report of all threads, of the kind `capture`, and goes on.
  ///
  /// Threads are not stopped for long. A thread that waits in a system call is read from outside; a thread that runs
  /// copies its stack, at most 256 KiB of it, and goes on. Calls such as `epoll_wait` and `nanosleep` are not broken off.
  /// The report has addresses only. You may call it from any thread, but not from a signal handler. Captures take turns.
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

  /// Makes a report of an error that the program can live with, of the kind `error`, and goes on.
  ///
  /// It is a report as ``capture(_:)`` makes it, and shows where this very error was thrown, if
  /// ``Configuration/keepsThrownErrors`` is on. `description` is the name of the error's type and what the error says of
  /// itself, up to 1,024 bytes, without credentials.
  ///
  /// - Parameter error: the error, as `catch` has it. A copy that was cast to its type and back is another error.
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
  /// What went wrong, in a few words.
  public var description: String {
    switch reason {
    case .notInstalled: "CrashKit is not installed"
    case .crashing: "the process is crashing"
    case .system(let code): "no report can be written: \(errorText(code))"
    }
  }
}
