import Foundation
import Glibc

/// The program `lock-probe`, or another one, in one of its scenarios.
final class LockProbe {
  struct Stuck: Error { var text: String }

  private let pid: pid_t
  private let output: URL
  private var status: Int32?

  /// `runner` is a command that comes before the program; `environment` is set besides the test's own.
  init(
    _ scenario: String, program name: String = "lock-probe", runner: [String] = [], environment: [String: String] = [:]
  ) throws {
    let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let products = URL(fileURLWithPath: program).deletingLastPathComponent()
    let command = runner + [products.appendingPathComponent(name).path, scenario]
    let path = command[0].hasPrefix("/") ? command[0] : products.appendingPathComponent(command[0]).path
    output = FileManager.default.temporaryDirectory.appendingPathComponent("lock-probe-\(UUID().uuidString)")
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 2, output.path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0o600)
    var arguments = command.map { strdup($0) } + [nil]
    let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    var environment = variables.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in arguments + environment { free(text) } }
    var child: pid_t = 0
    let error = posix_spawn(&child, path, &actions, nil, &arguments, &environment)
    guard error == 0 else { throw POSIXError(POSIXErrorCode(rawValue: error) ?? .ENOENT) }
    pid = child
  }

  deinit {
    if status == nil { kill() }
    try? FileManager.default.removeItem(at: output)
  }

  var standardError: String { (try? String(contentsOf: output, encoding: .utf8)) ?? "" }

  /// The exit status; -1 for a death by a signal.
  func waitForExit() -> Int32 {
    var status: Int32 = 0
    waitpid(pid, &status, 0)
    self.status = status
    return status & 0x7F == 0 ? status >> 8 & 0xFF : -1
  }

  func kill() {
    Glibc.kill(pid, SIGKILL)
    _ = waitForExit()
  }

  /// Waits until it has said these words; at most 30 seconds.
  func wait(for words: String) throws {
    let deadline = Date().addingTimeInterval(30)
    while !standardError.contains(words) {
      guard Date() < deadline else { throw Stuck(text: standardError) }
      usleep(10_000)
    }
  }
}
