import CrashReportModel
import CrashReportReading
import CrashReportView
import Glibc
import LinuxCalls

/// The JUnit file of `crashsym run --junit`.
enum JUnitOutput {
  /// Adds a case for each report to a file, or makes the file. What is no JUnit file stays beside it as `FILE.unread`.
  static func add(_ reports: [VerifiedReport], to path: String, options: TextReport.Options) {
    do throws(ReadingError) {
      var old = ""
      if access(path, F_OK) == 0 { old = String(decoding: try InputFile.read(path: path), as: UTF8.self) }
      if let merged = JUnitMerging.merged(reports, into: old, options: options) {
        return try write(merged, to: path)
      }
      let aside = path + ".unread"
      guard rename(path, aside) == 0 else { throw failure(errno) }
      Output.complain("no JUnit file that has its end; it is now \(aside)", path)
      try write(JUnitMerging.merged(reports, into: "", options: options) ?? "", to: path)
    } catch {
      Output.complain(error.what, path)
    }
  }

  /// Puts a whole file in the place of the old one.
  private static func write(_ text: String, to path: String) throws(ReadingError) {
    let new = path + ".new"
    _ = unlink(new)
    let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw failure(errno) }
    do throws(ReadingError) {
      try Output.write(text, to: descriptor)
    } catch {
      close(descriptor)
      _ = unlink(new)
      throw error
    }
    guard close(descriptor) == 0, rename(new, path) == 0 else {
      let code = errno
      _ = unlink(new)
      throw failure(code)
    }
  }

  private static func failure(_ code: Int32) -> ReadingError {
    ReadingError(.inputOutput, "cannot write: \(errorText(code))")
  }
}
