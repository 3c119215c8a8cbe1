import Foundation

/// A program that was run to its end, and what it left.
struct ProgramRun {
  enum End: Equatable, Sendable {
    case exited(Int32)
    case killed(signal: Int32)
  }

  struct TimeLimitExceeded: Error, CustomStringConvertible {
    let command: [String]
    let seconds: Double
    let standardError: String
    var description: String {
      "\(command.joined(separator: " ")) did not end within \(seconds) s; it said: \(standardError)"
    }
  }

  let end: End
  let standardOutput: String
  let standardError: String

  /// Runs `command` (the first element is a path) and waits for its end; after `seconds` it is killed, with all that it
  /// started, and the call throws. `environment` is merged into that of the tests; nil takes a variable away.
  static func run(
    _ command: [String], environment: [String: String?] = [:], input: String = "", seconds: Double = 60
  ) throws -> ProgramRun {
    let folder = try TemporaryFolder()
    // Files, not pipes: a pipe that nobody reads would block a program that says much.
    let streams = ["stdin", "stdout", "stderr"].map { folder.url.appending(path: $0) }
    for stream in streams { try Data(stream.lastPathComponent == "stdin" ? input.utf8 : "".utf8).write(to: stream) }
    func text(_ stream: Int) throws -> String { String(decoding: try Data(contentsOf: streams[stream]), as: UTF8.self) }

    var variables = ProcessInfo.processInfo.environment
    for (name, value) in environment { variables[name] = value }
    let process = try spawn(command, environment: variables, streams: streams.map(\.path))
    guard let status = wait(for: process, seconds: seconds) else {
      throw TimeLimitExceeded(command: command, seconds: seconds, standardError: try text(2))
    }
    // As WIFSIGNALED and WEXITSTATUS, which are macros.
    let signal = status & 0x7f
    return ProgramRun(
      end: signal == 0 ? .exited((status >> 8) & 0xff) : .killed(signal: signal),
      standardOutput: try text(1), standardError: try text(2))
  }

  /// Starts a program in a process group of its own and with all signals open, for the threads that run tests block
  /// some. Not Foundation's Process, which takes a program for alive while anything that it started is.
  private static func spawn(_ command: [String], environment: [String: String], streams: [String]) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (descriptor, path) in streams.enumerated() {
      posix_spawn_file_actions_addopen(&actions, Int32(descriptor), path, descriptor == 0 ? O_RDONLY : O_WRONLY, 0)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var open = sigset_t()
    sigemptyset(&open)
    posix_spawnattr_setsigmask(&attributes, &open)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))

    let arguments = command.map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for string in arguments + variables { free(string) } }
    var process = pid_t()
    let error = posix_spawn(&process, command[0], &actions, &attributes, arguments, variables)
    guard error == 0 else { throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EIO) }
    return process
  }

  /// The program's status as `waitpid` gives it; nil if it had to be killed.
  private static func wait(for process: pid_t, seconds: Double) -> Int32? {
    let status = Status()
    let ended = DispatchSemaphore(value: 0)
    Thread {
      while waitpid(process, &status.value, 0) < 0 && errno == EINTR {}
      ended.signal()
    }.start()
    let inTime = ended.wait(timeout: .now() + seconds) == .success
    // What the program left behind, too.
    kill(-process, SIGKILL)
    if !inTime { ended.wait() }
    return inTime ? status.value : nil
  }

  /// Written before the semaphore is signalled and read after.
  private final class Status: @unchecked Sendable {
    var value: Int32 = 0
  }
}
