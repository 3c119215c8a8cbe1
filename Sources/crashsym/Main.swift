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
        "crashsym: some long C++ or Swift names stay mangled: demangling of earlier names took too long, or the demangling process did not start\n",
        to: STDERR_FILENO)
    }
    fillStandardDescriptors()
    linux_take_file_signals()
    linux_take_memory_in_pieces()
    Crashsym.runFromCommandLine()
  }

  /// How much address space a command needs before it reads anything.
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
        CRASHSYM_SYMBOLS      folders of debug information, with colons between;
                              searched after those of --symbols
        DEBUGINFOD_URLS       servers to ask for files that are found nowhere
                              else; libdebuginfod's other variables apply too
                              (debuginfod-client-config(7))
        XDG_CACHE_HOME, HOME  the folder of indexes: see --no-cache
        CRASHSYM_CACHE_LIMIT  MiB for all indexes together; 0 turns them off
        CRASHKIT_DIRECTORY    the folder for reports of run, without --output
        CRASHKIT_OPTIONS      options of run: see Docs/deployment.md
        THREADGUARD_OPTIONS   options of run --thread-guard: see
                              Docs/threadguard-reports.md
        CRASHSYM_PRELOAD      the library that run preloads, instead of the
                              installed one
        CRASHSYM_PRELOAD_GUARD
                              the same for the option guard: see
                              Docs/memory-guard.md
        TMPDIR                the folder for unpacked core files, and for
                              reports of run if no other folder is set
        NO_COLOR, TERM        no colours if NO_COLOR is set, or if TERM is dumb
                              or missing

      doctor also shows the variables that CrashKit reads in a program: STATE_DIRECTORY, XDG_STATE_HOME, \
      SWIFT_BACKTRACE.

      Exit status: 0 done; 64 usage; 65 the input is damaged or of another kind; 66 no such file or folder; 71 too \
      little memory (ulimit -v); 74 input/output. doctor: 1 if it found a problem. run: the program's status, or 64, \
      66, 71, 74, 126 or 127 if the program cannot be started.
      """,
    version: version,
    subcommands: [
      ShowCommand.self, RunCommand.self, LookupCommand.self, GroupCommand.self, StreamCommand.self, SymbolsCommand.self,
      DoctorCommand.self, CaptureCommand.self, TasksCommand.self, SendCommand.self, JournalCommand.self,
      DeskCommand.self,
    ],
    defaultSubcommand: ShowCommand.self)
}
