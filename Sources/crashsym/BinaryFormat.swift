import ArgumentParser
import CrashReportView
import Glibc

extension Renderer {
  /// Refuses to print on a terminal what is no text.
  ///
  /// - Throws: `ExitCode` 64.
  func checkOutput() throws {
    guard isBinary, isatty(STDOUT_FILENO) == 1 else { return }
    Output.complain("not text for a terminal; redirect it to a file", "--format \(name)")
    throw ExitCode(64)
  }
}
