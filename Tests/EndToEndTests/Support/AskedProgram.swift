import Foundation
import Testing

/// A program under `crashsym run` that is asked for captures, by the number that it prints.
struct AskedProgram {
  let folder: TemporaryFolder
  let running: RunningProgram
  let pid: String

  init(
    _ source: String, _ arguments: [String] = [], options: [String] = [], environment: [String: String?] = [:]
  ) throws {
    folder = try TemporaryFolder()
    let program = try Compiler.compile(source, into: folder, options: options)
    let reports = folder.url.appending(path: "reports").path
    let command = [Products.crashsym, "run", "--output", reports, "--", program] + arguments
    running = try RunningProgram(command, environment: environment)
    pid = try #require(running.line())
  }

  func reports() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.url.appending(path: "reports").path)
      .filter { $0.hasSuffix(".json") }
  }
}
