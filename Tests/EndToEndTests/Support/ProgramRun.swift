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

  /// Runs `command` (the first element is a path) and waits for its end; after `seconds` it is killed and the call
  /// throws. `environment` is merged into that of the tests; nil takes a variable away.
  static func run(
    _ command: [String], environment: [String: String?] = [:], input: String? = nil, seconds: Double = 60
  ) throws -> ProgramRun {
    let folder = try TemporaryFolder()
    let output = folder.url.appending(path: "stdout")
    let errors = folder.url.appending(path: "stderr")
    for file in [output, errors] { _ = FileManager.default.createFile(atPath: file.path, contents: nil) }

    let process = Process()
    process.executableURL = URL(filePath: command[0])
    process.arguments = Array(command.dropFirst())
    process.environment = ProcessInfo.processInfo.environment.merging(environment.compactMapValues { $0 }) { $1 }
      .filter { environment[$0.key] != .some(nil) }
    // Files, not pipes: a pipe that nobody reads would block a program that says much.
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: errors)
    process.standardInput = FileHandle.nullDevice
    if let input {
      let file = folder.url.appending(path: "stdin")
      try Data(input.utf8).write(to: file)
      process.standardInput = try FileHandle(forReadingFrom: file)
    }
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    try withAllSignalsOpen { try process.run() }
    func text(_ file: URL) throws -> String { String(decoding: try Data(contentsOf: file), as: UTF8.self) }
    if ended.wait(timeout: .now() + seconds) == .timedOut {
      kill(process.processIdentifier, SIGKILL)
      ended.wait()
      throw TimeLimitExceeded(command: command, seconds: seconds, standardError: try text(errors))
    }
    let status = process.terminationStatus
    return ProgramRun(
      end: process.terminationReason == .exit ? .exited(status) : .killed(signal: status),
      standardOutput: try text(output), standardError: try text(errors))
  }

  /// A program inherits the signal mask of the thread that starts it, and the threads that run tests block some.
  private static func withAllSignalsOpen(_ body: () throws -> Void) rethrows {
    var none = sigset_t()
    var before = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    try body()
  }
}
