import Foundation
import Testing

/// A program in a folder of its own, run to its end by posix_spawn: Foundation's Process takes a program for alive while
/// anything that it started holds what it inherited.
struct ProgramRun {
  /// As a shell has it: 128 and the signal's number where it died of one.
  let status: Int32
  let output: String
  let errors: String
  /// The names of the reports that it left.
  let reports: [String]

  /// Programs are beside the tests' own.
  static var products: URL {
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
  }

  /// Runs a program of this package, or one with a path, for a limited time.
  init(_ program: String, _ arguments: [String], environment: [String: String] = [:], seconds: Int = 120) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "threadguard-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = program.hasPrefix("/") ? program : Self.products.appending(path: program).path
    let command = ["/usr/bin/timeout", "--signal=KILL", "\(seconds)", path] + arguments
    var variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    variables["CRASHKIT_DIRECTORY"] = folder.path
    variables["SWIFT_BACKTRACE"] = "enable=no"
    status = try Self.run(command, variables, output: folder.path + "/output", errors: folder.path + "/errors")
    output = try String(contentsOf: folder.appending(path: "output"), encoding: .utf8)
    errors = try String(contentsOf: folder.appending(path: "errors"), encoding: .utf8)
    reports = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".json") }.sorted()
  }

  var lines: [Substring] { output.split(separator: "\n") }

  private static func run(_ command: [String], _ variables: [String: String], output: String, errors: String) throws
    -> Int32
  {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT, 0o600)
    let arguments = command.map { strdup($0) } + [nil]
    let environment = variables.map { strdup("\($0)=\($1)") } + [nil]
    defer { for string in arguments + environment { free(string) } }
    var process = pid_t()
    let error = posix_spawn(&process, command[0], &actions, nil, arguments, environment)
    guard error == 0 else { throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EIO) }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 && errno == EINTR {}
    return status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
  }
}
