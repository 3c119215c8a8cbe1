import ArgumentParser
import CGround
import CrashReportModel
import Glibc
import LinuxCalls

extension ParsableCommand {
  /// Parses the command line and runs the command, as `main()` does. What it prints of wrong arguments and other errors
  /// holds nothing that a terminal or a CI service would obey: ArgumentParser repeats arguments as they are.
  public static func runFromCommandLine() {
    do {
      var command = try parsed(Array(commandLineArguments().dropFirst()))
      try command.run()
    } catch {
      end(withError: error)
    }
  }

  /// Wrong arguments are parsed once more in their harmless spelling, so that the error repeats that one.
  private static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
    do {
      return try parseAsRoot(arguments)
    } catch {
      guard exitCode(for: error) != .success else { throw error }
      _ = try parseAsRoot(arguments.map(\.harmlessName))
      throw error
    }
  }

  private static func end(withError error: any Error) -> Never {
    let code = exitCode(for: error)
    guard code != .success else { exit(withError: error) }
    let lines = fullMessage(for: error).split(separator: "\n", omittingEmptySubsequences: false)
    let message = lines.map { String($0).harmlessName }.joined(separator: "\n")
    let line = message.isEmpty ? "" : "\(message)\n"
    // Whoever started the command waits for its status, even if no program reads the message.
    _ = ck_write_bounded(STDERR_FILENO, line, line.utf8.count, 1_500_000_000)
    Glibc.exit(code.rawValue)
  }
}
