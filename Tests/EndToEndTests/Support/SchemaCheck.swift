import Foundation
import Synchronization
import Testing

/// Checks reports against Docs/report.schema.json with Python's jsonschema package.
///
/// One process checks the reports of all tests: it takes longer to load the package and the schema than to check one.
final class SchemaCheck: Sendable {
  private struct Pipes {
    let questions: FileHandle
    let answers: UnsafeMutablePointer<FILE>
  }

  private static let shared = Result { try SchemaCheck() }

  private static let program = """
    import json, sys, jsonschema
    schema = json.load(open(sys.argv[1]))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for path in sys.stdin:
      try: errors = [f"{e.json_path} {e.message}" for e in validator.iter_errors(json.load(open(path.strip())))]
      except Exception as error: errors = [str(error)]
      print(json.dumps(errors[:10]), flush=True)
    """

  private let pipes: Mutex<Pipes>

  /// What the schema says against a report; empty if it is valid.
  static func complaints(of path: String) throws -> [String] { try shared.get().complaints(of: path) }

  private init() throws {
    let python = ProcessInfo.processInfo.environment["CRASHKIT_TEST_PYTHON"] ?? Products.onPath("python3")
    let (questions, answers) = (Pipe(), Pipe())
    // The programs of other tests would keep this one alive.
    _ = fcntl(questions.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
    let process = Process()
    process.executableURL = URL(filePath: try #require(python))
    process.arguments = ["-c", Self.program, Products.root.appending(path: "Docs/report.schema.json").path]
    process.standardInput = questions
    process.standardOutput = answers
    try process.run()
    let stream = try #require(fdopen(fcntl(answers.fileHandleForReading.fileDescriptor, F_DUPFD_CLOEXEC, 0), "r"))
    pipes = Mutex(Pipes(questions: questions.fileHandleForWriting, answers: stream))
  }

  private func complaints(of path: String) throws -> [String] {
    try pipes.withLock { pipes in
      try pipes.questions.write(contentsOf: Data("\(path)\n".utf8))
      var line: UnsafeMutablePointer<CChar>?
      var room = 0
      defer { free(line) }
      let size = getline(&line, &room, pipes.answers)
      let bytes = try #require(size > 0 ? line : nil, "the process that checks reports has ended")
      return try JSONDecoder().decode([String].self, from: Data(bytes: bytes, count: size))
    }
  }
}

/// Expects that a report is valid by Docs/report.schema.json.
func expectValid(_ path: String, sourceLocation: Testing.SourceLocation = #_sourceLocation) throws {
  let complaints = try SchemaCheck.complaints(of: path)
  #expect(complaints.isEmpty, Comment(rawValue: complaints.joined(separator: "\n")), sourceLocation: sourceLocation)
}
