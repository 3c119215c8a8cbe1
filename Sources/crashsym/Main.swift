import ArgumentParser
import CLinuxCalls
import CReportParts
import CommandEntry
import Glibc
import LinuxCalls
import ProgramRunner
import Symbolication

/// Where the process starts: the second half of `crashsym run` and the demangling of long names, which are no commands of
/// a person, or the command line.
@main
enum Main {
  static func main() {
    if let status = ProgramLauncher.runIfAsked(commandLineArguments()) { exit(status) }
    refuseTightMemory()
    if DemanglingProcess.serveIfAsked(commandLineArguments()) { exit(0) }
    DemanglingProcess.useOwnProgram {
      try? Output.write(
        "crashsym: some long names of C++ or Swift stay mangled: earlier names took too long, or the process for them did not start\n",
        to: STDERR_FILENO)
    }
    fillStandardDescriptors()
    linux_take_file_signals()
    linux_take_memory_in_pieces()
    Crashsym.runFromCommandLine()
  }

  /// What a command needs of address space before it reads anything.
  private static let leastRoom: UInt = 16 << 20

  /// An allocation that fails would abort. Nothing is allocated here.
  private static func refuseTightMemory() {
    guard linux_has_room_for(leastRoom) == 0 else { return }
    let line: StaticString =
      "crashsym: the limit of address space (ulimit -v) leaves less than 16 MiB of memory: raise it\n"
    _ = write(STDERR_FILENO, line.utf8Start, line.utf8CodeUnitCount)
    _exit(EX_OSERR)
  }
}

struct Crashsym: ParsableCommand {
  static let version = CRP_VERSION

  static let configuration = CommandConfiguration(
    commandName: "crashsym",
    abstract: "Shows crash reports with functions and source lines.",
    discussion: """
      crashsym FILE… shows reports. The other commands are listed below.

      Reads CrashKit's reports and the Swift runtime's crash logs as JSON and as text, also in the middle of a log. \
      Also reads core files (ELF, also compressed with zstd, xz or lz4).

      Environment:
        CRASHSYM_SYMBOLS      folders of debug information with colons between,
                              searched after those of --symbols
        DEBUGINFOD_URLS       servers to ask for what is found nowhere else;
                              libdebuginfod's other variables hold as well
                              (debuginfod-client-config(7))
        XDG_CACHE_HOME, HOME  where indexes are kept: see --no-cache
        CRASHSYM_CACHE_LIMIT  MiB for all indexes together; 0 keeps none
        CRASHKIT_DIRECTORY    where run keeps reports, without --output
        CRASHKIT_OPTIONS      what run captures: see Docs/deployment.md
        THREADGUARD_OPTIONS   what run --thread-guard checks, and what becomes
                              of findings: see Docs/threadguard-reports.md
        CRASHSYM_PRELOAD      the library that run preloads, instead of that
                              which was installed with crashsym
        CRASHSYM_PRELOAD_GUARD
                              the same for what guard=… of CRASHKIT_OPTIONS
                              preloads: see Docs/memory-guard.md
        TMPDIR                where compressed core files are unpacked, and run
                              keeps reports where nothing else is named
        NO_COLOR, TERM        no colours where the first is set, or the second
                              is dumb or missing

      doctor says what is set, and looks at the variables that CrashKit reads in a program: STATE_DIRECTORY, \
      XDG_STATE_HOME, SWIFT_BACKTRACE.

      Exit status: 0 done; 64 usage; 65 the input is not what it should be; 66 no such file or folder; 71 too little \
      memory (ulimit -v); 74 input/output. Of doctor 1 where a problem was found. Of run that of the program, and 64, \
      66, 71, 74, 126 and 127 where it cannot be started.
      """,
    version: version,
    subcommands: [
      ShowCommand.self, RunCommand.self, LookupCommand.self, GroupCommand.self, StreamCommand.self, SymbolsCommand.self,
      DoctorCommand.self, CaptureCommand.self, TasksCommand.self, SendCommand.self, JournalCommand.self,
      DeskCommand.self,
    ],
    defaultSubcommand: ShowCommand.self)
}
