import Foundation
import Testing

@Suite struct StreamTests {
  private let scratch = try! Scratch()

  private func report(_ number: Int, _ more: String = "") -> String {
    #"{"schema":"crashkit/1","timestamp":"2026-11-21T08:24:35Z","kind":"crashReport","number":\#(number)\#(more)}"#
  }

  private func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }

  @Test func eachLineIsAnsweredInOrder() throws {
    // Of different sizes, so that later ones are done earlier.
    let reports = (0..<400).map { number in
      report(number, number % 7 == 0 ? #","attributes":{"long":"\#(String(repeating: "x", count: 100_000))"}"# : "")
    }
    for jobs in ["1", "8"] {
      let result = try Command.run(
        Command.crashsym, ["stream", "--jobs", jobs], input: reports.joined(separator: "\n") + "\n")
      #expect(result.status == 0)
      let answers = lines(result.output)
      #expect(answers.count == 400)
      for (number, answer) in answers.enumerated() {
        #expect(answer.contains("\"number\":\(number)") && answer.contains(#""fingerprint":{"value":"2-"#))
      }
    }
  }

  @Test func answersAreThoseOfTheShowCommand() throws {
    let path = Command.fixture("CrashReportViewTests/Fixtures/full.json")
    let line = try String(contentsOfFile: path, encoding: .utf8).split(whereSeparator: \.isNewline).joined()
    let shown = try Command.crashsym("--format", "json", path)
    #expect(try Command.crashsym("stream", input: line).output == shown.output)
    let scrubbed = try Command.crashsym("--format", "json", "--scrub", path)
    #expect(try Command.crashsym("stream", "--scrub", input: line).output == scrubbed.output)
  }

  @Test func badLinesBecomeErrorsWithTheirNumbers() throws {
    let input = [
      "\u{FEFF}" + report(1) + "\r", "", "  \t\r", "no report", "[1]", #"{"a":1}"#, report(2) + report(3),
      "{\"schema\":\"crashkit/1\u{0}\"}", report(4),
    ].joined(separator: "\n")
    let result = try Command.crashsym("stream", input: input)
    #expect(result.status == 0)
    #expect(result.errors == "")
    let answers = lines(result.output)
    #expect(answers.count == 7)
    #expect(answers.first?.contains(#""number":1"#) == true)
    #expect(
      Array(answers[1..<6]) == [
        #"{"error":{"line":4,"reason":"not a report: no JSON object"}}"#,
        #"{"error":{"line":5,"reason":"not a report: no JSON object"}}"#,
        #"{"error":{"line":6,"reason":"JSON, but not a report"}}"#,
        #"{"error":{"line":7,"reason":"2 reports on one line"}}"#,
        #"{"error":{"line":8,"reason":"not a report: a NUL at byte 21"}}"#,
      ])
    #expect(answers.last?.contains(#""number":4"#) == true)
    #expect(try Command.crashsym("stream", "--strict", input: input).status == 65)
    #expect(try Command.crashsym("stream", "--strict", input: report(1)).status == 0)
    #expect(try Command.crashsym("stream", "--strict", input: "").output == "")
  }

  @Test func namedFilesAreReadInTheirOrder() throws {
    let lines = try scratch.write(report(1) + "\nnone\n", to: "lines.jsonl")
    let log = try scratch.write("a log\n\(report(2))\n", to: "app.log")
    let result = try Command.crashsym("stream", log, "/no/such.json", lines)
    #expect(result.status == 0 && result.errors == "")
    let answers = self.lines(result.output)
    #expect(answers.count == 4)
    #expect(answers.first?.contains(#""number":2"#) == true)
    #expect(answers.dropFirst().first == #"{"error":{"source":"/no/such.json","reason":"no such file"}}"#)
    #expect(answers.dropFirst(2).first?.contains(#""number":1"#) == true)
    #expect(
      answers.last == #"{"error":{"source":"\#(lines)","line":2,"reason":"not a report: no JSON object"}}"#)
    #expect(try Command.crashsym("stream", "--strict", "/no/such.json").status == 65)
  }

  @Test func aVeryLongLineIsSkippedInBoundedMemory() throws {
    // 400 MiB on one line; of the address space, half is the runtime's threads and libraries.
    let script = """
      ulimit -v 380000
      { echo '\(report(1))'; head -c 400M /dev/zero | tr '\\0' 'x'; echo; echo '\(report(2))'; } |
        '\(Command.crashsym)' stream
      """
    let result = try Command.run("bash", ["-c", script])
    #expect(result.status == 0, "\(result.errors)")
    let answers = lines(result.output)
    #expect(answers.count == 3)
    #expect(answers.dropFirst().first == #"{"error":{"line":2,"reason":"a line of more than 32 MiB"}}"#)
    #expect(answers.last?.contains(#""number":2"#) == true)
  }

  @Test func closedOutputEndsQuietly() throws {
    let file = try scratch.write(String(repeating: report(1) + "\n", count: 20_000), to: "reports.jsonl")
    let script =
      "'\(Command.crashsym)' stream <'\(file)' | head -n 1 >'\(scratch.path("first"))'; echo ${PIPESTATUS[0]}"
    let result = try Command.run("bash", ["-c", script])
    #expect(result.output == "74\n")
    #expect(result.errors == "")
    #expect(try String(contentsOfFile: scratch.path("first"), encoding: .utf8).contains(#""number":1"#))
  }

  @Test func aFullDiskIsReported() throws {
    let result = try Command.run(Command.crashsym, ["stream"], input: report(1), outputTo: "/dev/full")
    #expect(result.status == 74)
    #expect(result.errors.hasPrefix("crashsym: cannot write: No space left on device: standard output"))
  }

  /// Each line is answered before the next one is written.
  @Test func aLivePipeIsAnsweredLineByLine() throws {
    let process = Process()
    let (input, output) = (Pipe(), Pipe())
    process.executableURL = URL(filePath: Command.crashsym)
    process.arguments = ["stream"]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    for number in 1...3 {
      try input.fileHandleForWriting.write(contentsOf: Data((report(number) + "\n").utf8))
      var answer = Data()
      while answer.last != UInt8(ascii: "\n") {
        let part = output.fileHandleForReading.availableData
        try #require(!part.isEmpty)
        answer += part
      }
      #expect(String(decoding: answer, as: UTF8.self).contains("\"number\":\(number)"))
    }
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }

  @Test func wrongUseIsReported() throws {
    #expect(try Command.crashsym("stream", "--jobs", "0", input: "").status == 64)
    #expect(try Command.crashsym("stream", "--symbols", scratch.path("none"), input: "").status == 66)
    #expect(try Command.crashsym("stream", "--help").output.contains("32 MiB"))
  }
}
