import Foundation

/// A program in a process group of its own, with all signals open, waited for within a limit of time. Not Foundation's
/// Process, which takes a program for alive while anything that it started holds what it inherited.
struct ProbeProcess {
  /// As `waitpid` gives it; nil where the program had to be killed.
  let status: Int32?

  /// Runs `command` (the first element is a path) in `folder`; standard output and error go to the files named.
  init(
    _ command: [String], environment: [String: String], folder: String, output: String, errors: String, seconds: Double
  ) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT, 0o600)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var open = sigset_t()
    sigemptyset(&open)
    posix_spawnattr_setsigmask(&attributes, &open)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
    let command = ["/usr/bin/env", "-C", folder] + command
    let arguments = command.map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for string in arguments + variables { free(string) } }
    var process = pid_t()
    let error = posix_spawn(&process, command[0], &actions, &attributes, arguments, variables)
    guard error == 0 else { throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EIO) }
    status = Self.wait(for: process, seconds: seconds)
  }

  private static func wait(for process: pid_t, seconds: Double) -> Int32? {
    let end = End()
    let ended = DispatchSemaphore(value: 0)
    Thread {
      while waitpid(process, &end.status, 0) < 0 && errno == EINTR {}
      ended.signal()
    }.start()
    let inTime = ended.wait(timeout: .now() + seconds) == .success
    // What the program left behind, too.
    kill(-process, SIGKILL)
    if !inTime { ended.wait() }
    return inTime ? end.status : nil
  }

  /// Written before the semaphore is signalled and read after.
  private final class End: @unchecked Sendable {
    var status: Int32 = 0
  }
}
