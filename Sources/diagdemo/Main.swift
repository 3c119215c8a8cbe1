import ArgumentParser
import CReportParts
import CommandEntry

@main
enum Entry {
  static func main() { Main.runFromCommandLine() }
}

struct Main: ParsableCommand {
  static let version = CRP_VERSION

  static let configuration = CommandConfiguration(
    commandName: "diagdemo",
    abstract: "Puts a program in trouble on purpose, to see that the tools notice.",
    version: version,
    subcommands: [CrashCommand.self, StressCommand.self, WatchCommand.self, WorkloadCommand.self])
}
