import CrashReportModel
import CrashReportReading
import CrashReportView
import Glibc
import LinuxCalls
import ProgramRunner

/// The JUnit file of `crashsym run --junit`.
enum JUnitOutput {
  /// Refuses a file that could not be written at the end, while no program runs yet.
  static func check(_ path: String) throws(RunFailure) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    if status.st_mode & S_IFMT == S_IFLNK { throw .linkedJUnitFile(path) }
  }

  /// Adds a case for each report to a file, or makes the file. A file that is not a JUnit file stays next to it as
  /// `FILE.unread`.
  static func add(_ reports: [VerifiedReport], to path: String, options: TextReport.Options) {
    do throws(ReadingError) {
      if let merged = JUnitMerging.merged(reports, into: try contents(of: path), options: options) {
        return try write(merged, to: path)
      }
      let aside = path + ".unread"
      guard rename(path, aside) == 0 else { throw failure(errno) }
      Output.complain("renamed to \(aside), because it is not a complete JUnit file", path)
      try write(JUnitMerging.merged(reports, into: [], options: options) ?? [], to: path)
    } catch {
      Output.complain(error.what, path)
    }
  }

  /// The contents that the program left in the file; empty if there is no file.
  private static func contents(of path: String) throws(ReadingError) -> [UInt8] {
    let file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard file >= 0 else {
      let code = errno
      if code == ENOENT || code == ENOTDIR { return [] }
      throw code == ELOOP ? ReadingError(.inputOutput, RunFailure.linkedJUnitFile(path).what) : failure(code)
    }
    defer { close(file) }
    return try InputFile.read(file: file)
  }

  /// Puts a whole file in the place of the old one.
  private static func write(_ bytes: [UInt8], to path: String) throws(ReadingError) {
    let new = path + ".new"
    _ = unlink(new)
    let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw failure(errno) }
    do throws(ReadingError) {
      try Output.write(bytes, to: descriptor)
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
