import ArgumentParser
import CrashReportView
import Glibc

extension Renderer {
  /// Refuses to print binary output on a terminal.
  ///
  /// - Throws: `ExitCode` 64.
  func checkOutput() throws {
    guard isBinary, isatty(STDOUT_FILENO) == 1 else { return }
    Output.complain("the output is binary and cannot be shown on a terminal; redirect it to a file", "--format \(name)")
    throw ExitCode(64)
  }
}
