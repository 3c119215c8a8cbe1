import CrashReportModel
import CrashReportReading
import Foundation
import Testing

/// A run of violation-probe in a folder of its own, with the reports that it left.
final class ViolationProbe {
  let folder: URL
  let output: String
  /// Standard error's lines, without what each begins with.
  let errors: [Substring]
  /// The exit status, or the signal's number negated; nil where the program had to be killed.
  let end: Int32?

  static let products: URL = {
    let maps = (try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)) ?? ""
    let line = maps.split(separator: "\n").first { $0.hasSuffix(".xctest") }
    return URL(filePath: line?.split(separator: " ").last.map(String.init) ?? CommandLine.arguments[0])
      .deletingLastPathComponent()
  }()
  static let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

  /// `options` is THREADGUARD_OPTIONS; `@` in it and in the arguments stands for the folder, where `files` are put before.
  init(
    _ arguments: String..., program: String = "violation-probe", options: String? = nil, files: [String: String] = [:],
    environment: [String: String] = [:]
  ) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "violations-\(UUID().uuidString)")
    let place = folder.path()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
    var variables = ["CRASHKIT_DIRECTORY": folder.appending(path: "reports").path(), "SWIFT_BACKTRACE": "enable=no"]
    variables["THREADGUARD_OPTIONS"] = options?.replacing("@", with: place)
    variables.merge(environment) { $1 }
    let paths = (output: folder.appending(path: "output").path(), errors: folder.appending(path: "errors").path())
    end = try Self.run(
      [Self.products.appending(path: program).path()] + arguments.map { $0.replacing("@", with: place) },
      variables, paths.output, paths.errors)
    output = try String(contentsOfFile: paths.output, encoding: .utf8)
    errors = String(decoding: try Data(contentsOf: URL(filePath: paths.errors)), as: UTF8.self).split(separator: "\n")
      .map { line in line.firstRange(of: "]: ").map { line[$0.upperBound...] } ?? line }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// The files of the reports, oldest first.
  var paths: [URL] {
    let reports = folder.appending(path: "reports")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: reports.path())) ?? []
    return names.sorted().map { reports.appending(path: $0) }
  }

  func reports() throws -> [CrashReport] { try paths.flatMap { try ReportReader.read($0.path()) } }

  private static func run(
    _ command: [String], _ variables: [String: String], _ output: String, _ errors: String
  ) throws -> Int32? {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    // A time limit that holds even if everything below is broken.
    let command = ["/usr/bin/timeout", "-s", "KILL", "60"] + command
    let arguments = command.map { strdup($0) } + [nil]
    let environment = variables.map { strdup("\($0)=\($1)") } + [nil]
    defer { for string in arguments + environment { free(string) } }
    var process = pid_t()
    let error = posix_spawn(&process, command[0], &actions, nil, arguments, environment)
    guard error == 0 else { throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EIO) }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 && errno == EINTR {}
    if status & 0x7F == 0 {
      // timeout says of a program that it killed, or that died of a signal, 128 and the signal's number.
      let code = status >> 8 & 0xFF
      return code == 128 + SIGKILL ? nil : code > 128 ? 128 - code : code
    }
    return status & 0x7F == SIGKILL ? nil : -(status & 0x7F)
  }
}
