import CommandEntry

/// What looks like a file's name and was meant as a command.
enum MistypedCommand {
  /// The command that is nearest to a word; nil if no command is near, and for a path.
  static func suggestion(for word: String) -> String? {
    guard !word.contains("/"), !word.contains(".") else { return nil }
    let names = Crashsym.configuration.subcommands.compactMap { $0.configuration.commandName }
    return Spelling.nearest(to: word, among: names)
  }
}
