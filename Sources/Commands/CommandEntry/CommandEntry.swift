import ArgumentParser
import CGround
import CrashReportModel
import Glibc
import LinuxCalls

extension ParsableCommand {
  /// Parses the command line and runs the command, as `main()` does. Its error messages contain no text that controls a
  /// terminal or a CI service. ArgumentParser's own messages repeat arguments unchanged.
  public static func runFromCommandLine() {
    do {
      let arguments = Array(commandLineArguments().dropFirst())
      // Nothing is to be parsed, and ArgumentParser would look at every option of every command first.
      guard arguments != ["--version"] else {
        print(configuration.version)
        return endOutput()
      }
      try refuseHelpOfNothing(arguments)
      var command = try parsed(arguments)
      try command.run()
      endOutput()
    } catch {
      end(withError: error)
    }
  }

  /// `help NAME` of a command that there is not is an error. ArgumentParser prints the help of the command above it.
  private static func refuseHelpOfNothing(_ arguments: [String]) throws {
    guard arguments.first == "help" else { return }
    try find(arguments.dropFirst().prefix { !$0.hasPrefix("-") }, below: self)
  }

  private static func find(_ path: ArraySlice<String>, below command: any ParsableCommand.Type) throws {
    guard let name = path.first else { return }
    let subcommands = command.configuration.subcommands
    let names = subcommands.map { $0._commandName }
    guard let index = names.firstIndex(of: name) else {
      let nearest = Spelling.nearest(to: name, among: names)
      throw ValidationError("There is no command '\(name)'." + suggestion(nearest))
    }
    try find(path.dropFirst(), below: subcommands[index])
  }

  /// The command that the first words of the command line name.
  private static func commandMeant() -> any ParsableCommand.Type {
    var command: any ParsableCommand.Type = self
    for word in commandLineArguments().dropFirst() {
      guard let next = command.configuration.subcommands.first(where: { $0._commandName == word }) else { break }
      command = next
    }
    return command
  }

  private static func suggestion(_ name: String?) -> String {
    guard let name else { return "" }
    return " Did you mean '\(name)'?"
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

  /// Writes what was printed. If it cannot be written, one line says so, and the command ends.
  private static func endOutput() {
    guard fflush(nil) != 0 else { return }
    let line = "\(_commandName): cannot write: \(errorText(errno)): standard output\n"
    _ = cgr_write_bounded(STDERR_FILENO, line, line.utf8.count, 1_500_000_000)
    Glibc.exit(EX_IOERR)
  }

  private static func end(withError error: any Error) -> Never {
    let code = exitCode(for: error)
    guard code != .success else {
      let text = fullMessage(for: error)
      if !text.isEmpty { print(text) }
      endOutput()
      Glibc.exit(0)
    }
    var text = fullMessage(for: error)
    if text.hasPrefix("Error: Missing expected argument"), let option = mistypedOption() {
      let end = text.firstIndex(of: "\n") ?? text.endIndex
      let nearest = Spelling.nearest(to: option, among: Array(optionNames(of: commandMeant())))
      let hint = nearest == nil ? "" : "." + suggestion(nearest)
      text.replaceSubrange(..<end, with: "Error: Unknown option '\(option)'\(hint)")
    }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let message = lines.map { String($0).harmlessName }.joined(separator: "\n")
    let line = message.isEmpty ? "" : "\(message)\n"
    // The parent waits for the command's status, even if no program reads the message.
    _ = cgr_write_bounded(STDERR_FILENO, line, line.utf8.count, 1_500_000_000)
    Glibc.exit(code.rawValue)
  }
}
