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
    abstract: "Makes mistakes on purpose, to check that the tools find them.",
    version: version,
    subcommands: [CrashCommand.self, StressCommand.self, WatchCommand.self, WorkloadCommand.self])
}
