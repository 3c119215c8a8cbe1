import Foundation
import Synchronization
import Testing

/// Checks reports against Docs/report.schema.json with Tests/Helpers/validate.py.
///
/// One process checks the reports of all tests: it takes longer to load the package and the schema than to check one.
final class SchemaCheck: Sendable {
  private struct Pipes {
    let questions: FileHandle
    let answers: UnsafeMutablePointer<FILE>
  }

  private static let shared = Result { try SchemaCheck() }

  private let pipes: Mutex<Pipes>

  /// The file and `valid`, or the file and what the schema says against the report.
  static func verdict(on path: String) throws -> String { try shared.get().verdict(on: path) }

  private init() throws {
    let python = ProcessInfo.processInfo.environment["CRASHKIT_TEST_PYTHON"] ?? Products.onPath("python3")
    let (questions, answers) = (Pipe(), Pipe())
    // The programs of other tests would keep this one alive.
    _ = fcntl(questions.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
    let process = Process()
    process.executableURL = URL(filePath: try #require(python))
    let paths = ["Tests/Helpers/validate.py", "Docs/report.schema.json"].map { Products.root.appending(path: $0).path }
    process.arguments = paths + ["-"]
    process.standardInput = questions
    process.standardOutput = answers
    try process.run()
    let stream = try #require(fdopen(fcntl(answers.fileHandleForReading.fileDescriptor, F_DUPFD_CLOEXEC, 0), "r"))
    pipes = Mutex(Pipes(questions: questions.fileHandleForWriting, answers: stream))
  }

  private func verdict(on path: String) throws -> String {
    try pipes.withLock { pipes in
      try pipes.questions.write(contentsOf: Data("\(path)\n".utf8))
      var line: UnsafeMutablePointer<CChar>?
      var room = 0
      defer { free(line) }
      let size = getline(&line, &room, pipes.answers)
      let bytes = try #require(size > 1 ? line : nil, "the process that checks reports has ended")
      return String(decoding: UnsafeRawBufferPointer(start: bytes, count: size - 1), as: UTF8.self)
    }
  }
}

/// Expects that a report is valid by Docs/report.schema.json.
func expectValid(_ path: String, sourceLocation: Testing.SourceLocation = #_sourceLocation) throws {
  let verdict = try SchemaCheck.verdict(on: path)
  #expect(verdict == "\(path): valid", sourceLocation: sourceLocation)
}
