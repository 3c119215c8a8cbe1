import ArgumentParser

@main
struct Main: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diagdemo",
    abstract: "Puts a program in trouble on purpose, to see that the tools notice.",
    subcommands: [CrashCommand.self, WatchCommand.self])
}
