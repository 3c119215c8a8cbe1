import CLinuxCalls
import Glibc
import LinuxCalls

/// Runs a program with a preloaded library, and waits for its end.
///
/// The program stays in the process group of this process, so it gets the terminal's signals and job control directly.
/// This process blocks signals, and waits for them one by one. The program starts with the signal mask that this
/// process had at its start.
public struct ProgramRun {
  /// The program to run, and the options of the run.
  public struct Request: Sendable {
    /// The program's file.
    public var path: String
    /// The program's arguments, its name first.
    public var arguments: [String]
    /// The library to preload.
    public var preload: String
    /// The folder of the program's reports.
    public var folder: ReportFolder
    /// The new value of `CRASHKIT_OPTIONS`; an empty text does not change the variable.
    public var options: String
    /// Whether CrashKit also watches the programs that this program starts.
    public var follows: Bool

    /// Makes a request.
    public init(
      path: String, arguments: [String], preload: String, folder: ReportFolder, options: String, follows: Bool
    ) {
      self.path = path
      self.arguments = arguments
      self.preload = preload
      self.folder = folder
      self.options = options
      self.follows = follows
    }
  }

  /// The program's process id.
  public let pid: pid_t
  private let signals: RelayedSignals
  private let spareFiles: SpareFileServer?
  private let follows: Bool

  /// Starts the program. Call it before you start other threads, because those threads would receive signals that are
  /// meant for the program.
  ///
  /// - Throws: `RunFailure` with status 71 if the system starts no process.
  public init(_ request: Request) throws(RunFailure) {
    signals = RelayedSignals()
    spareFiles = SpareFileServer(folder: request.folder.descriptor)
    follows = request.follows
    if let spareFiles { setEnvironment(SpareFileServer.variable, spareFiles.name) }
    let orders = ProgramLauncher.Orders(
      follows: request.follows, ignoresChildSignal: signals.childSignalWasIgnored,
      signalMask: signals.originalKernelMask, preload: request.preload, directory: request.folder.path,
      options: request.options, path: request.path, arguments: request.arguments)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var mask = signals.originalMask
    posix_spawnattr_setsigmask(&attributes, &mask)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    linux_spawn_with_own_signals(&attributes)
    var child: pid_t = 0
    let code = withSystemTexts(orders.commandLine) { arguments in
      OwnProgram.path.withSystemText { posix_spawn(&child, $0, nil, &attributes, arguments, environ) }
    }
    guard code == 0 else {
      spareFiles?.stop()
      signals.discard(SIGIO)
      signals.stop()
      throw .system("cannot start a process", request.path, code)
    }
    pid = child
  }

  /// Passes signals on to the program until it ends. Returns how it ended, and its peak memory in bytes.
  ///
  /// The function reaps every child process of this process, not only the program. If this process is PID 1, orphans of
  /// the program become its children too.
  public func waitForEnd() -> (end: ProgramEnd, peakMemory: UInt64) {
    while true {
      let signal = signals.next()
      if signal.number == SIGCHLD {
        if let end = reap() {
          // The last call of a program that is gone must not end this one.
          spareFiles?.stop()
          signals.discard(SIGIO)
          signals.stop()
          return end
        }
      } else if signal.number == SIGIO, signal.code > 0 {
        spareFiles?.serve(program: pid, andChildren: follows)
      } else if signal.isForProgram(pid) {
        kill(pid, signal.number)
      }
    }
  }

  private func reap() -> (end: ProgramEnd, peakMemory: UInt64)? {
    var end: (ProgramEnd, UInt64)?
    var usage = rusage()
    var status: Int32 = 0
    while true {
      let reaped = wait4(-1, &status, WNOHANG | WUNTRACED, &usage)
      guard reaped > 0 else { return end }
      guard reaped == pid else { continue }
      if let programEnd = ProgramEnd(waitStatus: status) {
        // In units of 1,024 bytes.
        end = (programEnd, UInt64(max(0, usage.ru_maxrss)) * 1024)
      } else {
        signals.stopLike(pid, by: status >> 8 & 0xFF)
      }
    }
  }
}
