import ArgumentParser
import CLinuxCalls
import Glibc
import ProgramRunner

/// Where the process starts: the second half of `crashsym run`, which is no command of a person, or the command line.
@main
enum Main {
  static func main() {
    if let status = ProgramLauncher.runIfAsked(CommandLine.arguments) { exit(status) }
    linux_take_file_signals()
    Crashsym.main()
  }
}

struct Crashsym: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "crashsym",
    abstract: "Shows crash reports with functions and source lines.",
    discussion: """
      crashsym FILE… shows reports; the other commands are named below.

      Reads CrashKit's reports, the Swift runtime's crash logs in JSON and as text, all of them also in the middle of a \
      log, and core files (ELF, also compressed with zstd).

      Environment: CRASHSYM_SYMBOLS, folders of debug information with colons between, searched after those of \
      --symbols; DEBUGINFOD_URLS, servers to ask for what is found nowhere (debuginfod(8)); NO_COLOR.

      Exit status: 0 done; 64 usage; 65 the input is not a report; 66 no such file; 74 input/output.
      """,
    version: "0.1.0",
    subcommands: [
      ShowCommand.self, RunCommand.self, LookupCommand.self, GroupCommand.self, StreamCommand.self, SymbolsCommand.self,
      DoctorCommand.self,
    ],
    defaultSubcommand: ShowCommand.self)
}
