import CLinuxCalls
import Glibc
import LinuxCalls

/// Another program, started with the signals as a shell would leave them, and with nothing of ours open.
struct ChildProcess {
  let pid: pid_t

  /// - Parameter output: Where its standard output goes; nowhere unless said. Its errors go nowhere.
  /// - Throws: ``StartError``.
  init(_ arguments: [String], environment: ProcessVariables, output: Int32? = nil) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    if let output {
      posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    } else {
      posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    }
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    linux_spawn_with_own_signals(&attributes)

    var pid: pid_t = 0
    let code = withSystemTexts(arguments) { words in
      withSystemTexts(environment.entries) { variables in
        posix_spawnp(&pid, words[0]!, &actions, &attributes, words, variables)
      }
    }
    guard code == 0 else { throw StartError(program: arguments[0], reason: errorText(code)) }
    self.pid = pid
  }

  /// Its exit status, 128 and more for a signal; `nil` if it still runs.
  func status(waiting: Bool) -> Int32? {
    var status: Int32 = 0
    while true {
      let found = waitpid(pid, &status, waiting ? 0 : WNOHANG)
      if found < 0 && errno == EINTR { continue }
      guard found == pid else { return nil }
      return status & 0x7f == 0 ? status >> 8 & 0xff : 128 + (status & 0x7f)
    }
  }

  struct StartError: Error, CustomStringConvertible {
    let program: String
    let reason: String
    var description: String { "\(program): \(reason)" }
  }
}
