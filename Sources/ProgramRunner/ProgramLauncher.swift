import CrashReportModel
import Glibc

/// The second half of `crashsym run`: started again in the new process, it sets the variables that need the process's
/// own id and becomes the program.
///
/// Doing so here and not before the start keeps the library out of `crashsym` itself, and leaves signal mask,
/// descriptors and terminal to the program as they were given.
public enum ProgramLauncher {
  static let word = "__exec"

  /// What is handed over on the command line.
  struct Orders {
    var follows: Bool
    var ignoresChildSignal: Bool
    var preload: String
    var directory: String
    var options: String
    var path: String
    var arguments: [String]

    var commandLine: [String] {
      [
        "crashsym", word, follows ? "follow" : "self", ignoresChildSignal ? "ignored" : "default", preload, directory,
        options, path,
      ]
        + arguments
    }

    init(
      follows: Bool, ignoresChildSignal: Bool, preload: String, directory: String, options: String, path: String,
      arguments: [String]
    ) {
      self.follows = follows
      self.ignoresChildSignal = ignoresChildSignal
      self.preload = preload
      self.directory = directory
      self.options = options
      self.path = path
      self.arguments = arguments
    }

    init?(commandLine: [String]) {
      guard commandLine.count >= 9, commandLine[1] == word else { return nil }
      self.init(
        follows: commandLine[2] == "follow", ignoresChildSignal: commandLine[3] == "ignored", preload: commandLine[4],
        directory: commandLine[5], options: commandLine[6], path: commandLine[7], arguments: Array(commandLine[8...]))
    }
  }

  /// Becomes the program, where the command line asks for that.
  ///
  /// - Returns: `nil` where it does not; otherwise the exit status that says why the program could not be started.
  public static func runIfAsked(_ commandLine: [String]) -> Int32? {
    guard let orders = Orders(commandLine: commandLine) else { return nil }
    let inherited = environment("LD_PRELOAD").flatMap { $0.isEmpty ? nil : $0 }
    // Ours comes last: the user's own may want to be first, as a sanitizer's runtime does.
    setenv("LD_PRELOAD", inherited.map { "\($0):\(orders.preload)" } ?? orders.preload, 1)
    allowToStandBeforeSanitizers()
    setenv("CRASHKIT_DIRECTORY", orders.directory, 1)
    if !orders.options.isEmpty { setenv("CRASHKIT_OPTIONS", orders.options, 1) }
    setenv("CRASHKIT_RUN", orders.follows ? "follow" : "\(getpid())", 1)
    // One that is set already, to nothing as well, is the user's.
    if orders.follows, let folder = ProgramSearch.swiftFolder(of: orders.path) {
      setenv("CRASHKIT_TOOLCHAIN", folder, 0)
    }
    if orders.ignoresChildSignal { signal(SIGCHLD, SIG_IGN) }
    let code = execute(orders.path, orders.arguments)
    let failure = RunFailure.notExecutable(orders.path, code)
    let line = Array("crashsym: \("\(failure.what): \(failure.subject)".harmlessName)\n".utf8)
    write(STDERR_FILENO, line, line.count)
    return code == ENOENT ? 127 : 126
  }

  /// The shared runtime of AddressSanitizer ends a program that has another library preloaded before it, unless it is
  /// asked not to look. Children inherit the library, so the option is not for this program alone.
  private static func allowToStandBeforeSanitizers() {
    let (variable, option) = ("ASAN_OPTIONS", "verify_asan_link_order")
    let given = environment(variable) ?? ""
    guard !given.contains("\(option)=") else { return }
    setenv(variable, (given.isEmpty ? "" : "\(given):") + "\(option)=0", 1)
  }

  /// Replaces the process; returns the error number where that fails.
  private static func execute(_ path: String, _ arguments: [String]) -> Int32 {
    withCStrings(arguments) { execv(path, $0) }
    guard errno == ENOEXEC else { return errno }
    // A script without a first line that says so is run by the shell, as execvp(3) does.
    withCStrings(["sh", path] + arguments.dropFirst()) { execv("/bin/sh", $0) }
    return errno
  }
}

/// Calls a function with a null-terminated array of C strings.
@discardableResult
func withCStrings<Result>(
  _ texts: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  var pointers: [UnsafeMutablePointer<CChar>?] = texts.map { strdup($0) } + [nil]
  defer { for pointer in pointers { free(pointer) } }
  return pointers.withUnsafeMutableBufferPointer { body($0.baseAddress!) }
}
