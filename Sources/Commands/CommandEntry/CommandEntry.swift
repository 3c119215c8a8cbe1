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

  /// The first option that no command has, up to `--`. ArgumentParser reports an argument that is missing before it, though
  /// a mistyped option may be why: `symbols add app --too store`.
  private static func mistypedOption() -> String? {
    let options = commandLineArguments().dropFirst().prefix { $0 != "--" }.filter { $0.hasPrefix("--") }
    guard !options.isEmpty else { return nil }
    let known = optionNames(of: self)
    return options.map { String($0.prefix { $0 != "=" }) }.first { !known.contains($0) }
  }

  private static func optionNames(of command: any ParsableCommand.Type) -> Set<String> {
    let help = helpMessage(for: command, includeHidden: true)
    let names = help.matches(of: /--[a-z][a-z0-9-]*/).map { String($0.0) }
    return command.configuration.subcommands.reduce(into: Set(names)) { $0.formUnion(optionNames(of: $1)) }
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
    var text = fullMessage(for: error)
    if text.hasPrefix("Error: Missing expected argument"), let option = mistypedOption() {
      let end = text.firstIndex(of: "\n") ?? text.endIndex
      text.replaceSubrange(..<end, with: "Error: Unknown option '\(option)'")
    }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let message = lines.map { String($0).harmlessName }.joined(separator: "\n")
    let line = message.isEmpty ? "" : "\(message)\n"
    // Whoever started the command waits for its status, even if no program reads the message.
    _ = cgr_write_bounded(STDERR_FILENO, line, line.utf8.count, 1_500_000_000)
    Glibc.exit(code.rawValue)
  }
}
