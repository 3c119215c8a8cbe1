import CGround
import CLinuxCalls
import CrashReportModel
import Glibc
import LinuxCalls

/// The second half of `crashsym run`. ``ProgramRun`` starts a new process, which first runs `crashsym` again. This
/// second `crashsym` sets the variables that need the id of the new process. It then replaces itself with the program.
///
/// So the library is loaded only into the program, not into `crashsym`. The program gets the signal mask, the
/// descriptors and the terminal unchanged.
public enum ProgramLauncher {
  static let word = "__exec"

  /// What is handed over on the command line.
  struct Orders {
    var follows: Bool
    var ignoresChildSignal: Bool
    var signalMask: UInt
    var preload: String
    var directory: String
    var options: String
    var path: String
    var arguments: [String]

    var commandLine: [String] {
      [
        "crashsym", word, follows ? "follow" : "self", ignoresChildSignal ? "ignored" : "default",
        String(signalMask, radix: 16), preload, directory, options, path,
      ]
        + arguments
    }

    init(
      follows: Bool, ignoresChildSignal: Bool, signalMask: UInt, preload: String, directory: String, options: String,
      path: String, arguments: [String]
    ) {
      self.follows = follows
      self.ignoresChildSignal = ignoresChildSignal
      self.signalMask = signalMask
      self.preload = preload
      self.directory = directory
      self.options = options
      self.path = path
      self.arguments = arguments
    }

    init?(commandLine: [String]) {
      guard commandLine.count >= 10, commandLine[1] == word, let mask = UInt(commandLine[4], radix: 16) else {
        return nil
      }
      self.init(
        follows: commandLine[2] == "follow", ignoresChildSignal: commandLine[3] == "ignored", signalMask: mask,
        preload: commandLine[5], directory: commandLine[6], options: commandLine[7], path: commandLine[8],
        arguments: Array(commandLine[9...]))
    }
  }

  /// Executes the program in place of this one, if the command line requests that.
  ///
  /// - Returns: `nil` if the command line does not request that. Otherwise the function returns only if the program
  ///   could not be started; it then returns the exit status.
  public static func runIfAsked(_ commandLine: [String]) -> Int32? {
    guard let orders = Orders(commandLine: commandLine) else { return nil }
    let inherited = environment("LD_PRELOAD").flatMap { $0.isEmpty ? nil : $0 }
    // Ours comes last: the user's own may want to be first, as a sanitizer's runtime does.
    setEnvironment("LD_PRELOAD", inherited.map { "\($0):\(orders.preload)" } ?? orders.preload)
    allowToStandBeforeSanitizers()
    setEnvironment("CRASHKIT_DIRECTORY", orders.directory)
    if !orders.options.isEmpty { setEnvironment("CRASHKIT_OPTIONS", orders.options) }
    setEnvironment("CRASHKIT_RUN", orders.follows ? "follow" : "\(getpid())")
    // One that is set already, to nothing as well, is the user's.
    if orders.follows, let folder = ProgramSearch.swiftFolder(of: orders.path) {
      setEnvironment("CRASHKIT_TOOLCHAIN", folder, overwriting: false)
    }
    if orders.ignoresChildSignal { signal(SIGCHLD, SIG_IGN) }
    linux_set_signal_mask(orders.signalMask)
    let code = execute(orders.path, orders.arguments)
    let failure = RunFailure.notExecutable(orders.path, code)
    let line = "crashsym: \("\(failure.what): \(failure.subject)".harmlessName)\n"
    _ = cgr_write_bounded(STDERR_FILENO, line, line.utf8.count, 500_000_000)
    return code == ENOENT ? 127 : 126
  }

  /// The shared runtime of AddressSanitizer ends a program that has another library preloaded before it, unless it is
  /// asked not to look. Children inherit the library, so the option is not for this program alone.
  private static func allowToStandBeforeSanitizers() {
    let (variable, option) = ("ASAN_OPTIONS", "verify_asan_link_order")
    let given = environment(variable) ?? ""
    guard !given.contains("\(option)=") else { return }
    setEnvironment(variable, (given.isEmpty ? "" : "\(given):") + "\(option)=0")
  }

  /// Replaces the process; returns the error number if that fails.
  private static func execute(_ path: String, _ arguments: [String]) -> Int32 {
    var code = withSystemTexts(arguments) { execute(path, $0) }
    guard code == ENOEXEC else { return code }
    // A script without a first line that says so is run by the shell, as execvp(3) does.
    code = withSystemTexts(["sh", path] + arguments.dropFirst()) { execute("/bin/sh", $0) }
    return code
  }

  private static func execute(
    _ path: String, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  ) -> Int32 {
    _ = path.withSystemText { execv($0, arguments) }
    return errno
  }
}
