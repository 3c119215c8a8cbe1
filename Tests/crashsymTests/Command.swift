import Foundation
import Testing

/// Runs built executables and other programs.
enum Command {
  struct Result {
    /// The exit status, or the signal's number negated.
    var status: Int32
    var output: String
    var errors: String
  }

  static let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

  /// The folder of the products, where this test's own bundle lies.
  static let products: URL = {
    let maps = (try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)) ?? ""
    let line = maps.split(separator: "\n").first { $0.hasSuffix(".xctest") }
    let path = line?.split(separator: " ").last.map(String.init) ?? CommandLine.arguments[0]
    return URL(filePath: path).deletingLastPathComponent()
  }()

  static let crashsym = products.appending(path: "crashsym").path()

  /// A path under `Tests`.
  static func fixture(_ path: String) -> String { tests.appending(path: path).path() }

  /// Runs a program to its end. Variables of ours are not inherited; `nil` takes one away.
  static func run(
    _ program: String, _ arguments: [String] = [], environment: [String: String?] = [:], input: String? = nil,
    outputTo path: String? = nil
  ) throws -> Result {
    let process = Process()
    process.executableURL = URL(filePath: program.contains("/") ? program : "/usr/bin/env")
    process.arguments = program.contains("/") ? arguments : [program] + arguments
    var variables = ProcessInfo.processInfo.environment
    for name in [
      "CRASHSYM_SYMBOLS", "CRASHSYM_PRELOAD", "CRASHKIT_OPTIONS", "CRASHKIT_DIRECTORY", "NO_COLOR", "DEBUGINFOD_URLS",
    ] {
      variables[name] = nil
    }
    // Indexes of programs that are thrown away would stay behind.
    variables["CRASHSYM_CACHE_LIMIT"] = "0"
    for (name, value) in environment { variables[name] = value }
    process.environment = variables
    return try collect(process, input: input, outputTo: path)
  }

  /// Output goes to files, so that no pipe fills up while another is read.
  private static func collect(_ process: Process, input: String?, outputTo path: String?) throws -> Result {
    let folder = try Scratch()
    if let input { try Data(input.utf8).write(to: URL(filePath: folder.path("in"))) }
    let paths = (out: path ?? folder.path("out"), err: folder.path("err"))
    for path in [folder.path("out"), paths.err] { try Data().write(to: URL(filePath: path)) }
    process.standardInput = FileHandle(forReadingAtPath: input == nil ? "/dev/null" : folder.path("in"))
    process.standardOutput = FileHandle(forWritingAtPath: paths.out)
    process.standardError = FileHandle(forWritingAtPath: paths.err)
    try Self.withSignalsOpen { try process.run() }
    process.waitUntilExit()
    let isSignal = process.terminationReason == .uncaughtSignal
    return Result(
      status: isSignal ? -process.terminationStatus : process.terminationStatus,
      output: path == nil ? try String(contentsOfFile: paths.out, encoding: .utf8) : "",
      errors: try String(contentsOfFile: paths.err, encoding: .utf8))
  }

  /// A process inherits the signal mask of the thread that starts it, and tests run on threads that block most.
  private static func withSignalsOpen(_ body: () throws -> Void) rethrows {
    var none = sigset_t()
    var mask = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &mask)
    defer { pthread_sigmask(SIG_SETMASK, &mask, nil) }
    try body()
  }

  static func crashsym(
    _ arguments: String..., environment: [String: String?] = [:], input: String? = nil, outputTo path: String? = nil
  ) throws -> Result {
    try run(crashsym, arguments, environment: environment, input: input, outputTo: path)
  }
}

/// A folder that goes when the test does.
final class Scratch: Sendable {
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "crashsym-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func path(_ name: String) -> String { folder.appending(path: name).path() }

  /// Writes a file and returns its path.
  func write(_ text: String, to name: String, mode: Int = 0o644) throws -> String {
    try Data(text.utf8).write(to: URL(filePath: path(name)))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path(name))
    return path(name)
  }

  /// Compiles a C program and returns its path.
  func compile(_ source: String, to name: String, _ flags: String...) throws -> String {
    let file = try write(source, to: "\(name).c")
    let result = try Command.run("clang", [file, "-o", path(name)] + flags)
    try #require(result.status == 0, "\(result.errors)")
    return path(name)
  }
}
