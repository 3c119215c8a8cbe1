import Foundation
import Testing

/// Bad input gets one line on stderr and the documented status.
@Suite(.timeLimit(.minutes(30))) struct BadInputTests {
  private let scratch = try! Scratch()

  private func expect(
    _ status: Int32, _ what: String, from path: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let result = try Command.crashsym(path)
    #expect(result.status == status, sourceLocation: sourceLocation)
    #expect(result.output == "", sourceLocation: sourceLocation)
    #expect(result.errors == "crashsym: \(what): \(path)\n", sourceLocation: sourceLocation)
  }

  /// An empty page would look as if there had been no crash.
  @Test(arguments: ["html", "markdown", "sarif", "junit", "firefox", "text", "json"])
  func withoutAReportNothingIsWritten(_ format: String) throws {
    let none = try Command.crashsym("--format", format, scratch.path("none"))
    #expect(none.status == 66 && none.output == "", "\(none)")
    let report = try scratch.write(#"{"schema":"crashkit/1","kind":"crashReport","threads":[]}"#, to: "report.json")
    let one = try Command.crashsym("--format", format, scratch.path("none"), report)
    #expect(one.status == 66 && !one.output.isEmpty, "\(one)")
  }

  /// The program of a core file is looked at, whatever the input is.
  @Test func anExecutableThatIsNotThere() throws {
    let report = try scratch.write(#"{"schema":"crashkit/1","kind":"crashReport","threads":[]}"#, to: "report.json")
    let result = try Command.crashsym("--executable", "/nope", report)
    #expect(
      result.status == 66 && result.output == "" && result.errors == "crashsym: no such file: /nope\n", "\(result)")
  }

  /// The option that is wrong, and not the argument that it was meant for.
  @Test(arguments: [
    (["symbols", "add", "api", "--too", "store"], "'--too'. Did you mean '--to'?"),
    (["symbols", "add", "--strp=yes"], "'--strp'. Did you mean '--strip'?"),
    (["symbols", "add", "--nothing-like-it"], "'--nothing-like-it'"),
    (["show", "--fromat", "json", "report"], "'--fromat'. Did you mean '--format'?"),
  ])
  func aMistypedOptionIsNamed(_ arguments: [String], _ words: String) throws {
    let result = try Command.run(Command.crashsym, arguments)
    #expect(result.status == 64 && result.errors.hasPrefix("Error: Unknown option \(words)\n"), "\(result)")
  }

  @Test(arguments: [
    (["help", "nosuch"], "'nosuch'."), (["help", "rnu"], "'rnu'. Did you mean 'run'?"),
    (["help", "symbols", "ad"], "'ad'. Did you mean 'add'?"), (["help", "run", "show"], "'show'."),
  ])
  func helpOfAnUnknownCommandIsRefused(_ arguments: [String], _ words: String) throws {
    let result = try Command.run(Command.crashsym, arguments)
    #expect(result.status == 64 && result.output.isEmpty, "\(result)")
    #expect(result.errors.hasPrefix("Error: There is no command \(words)\n"), "\(result)")
  }

  @Test(arguments: [["help"], ["help", "run"], ["help", "symbols", "add"]])
  func helpOfACommand(_ arguments: [String]) throws {
    let result = try Command.run(Command.crashsym, arguments)
    #expect(result.status == 0 && result.output.hasPrefix("OVERVIEW: ") && result.errors.isEmpty, "\(result)")
  }

  @Test func anArgumentThatIsMissingIsNamed() throws {
    let result = try Command.run(Command.crashsym, ["symbols", "add", "api"])
    #expect(result.status == 64 && result.errors.hasPrefix("Error: Missing expected argument '--to"), "\(result)")
  }

  @Test func aReportWithoutStacksHasNoFlameGraph() throws {
    let report = try scratch.write(#"{"schema":"crashkit/1","kind":"crashReport","threads":[]}"#, to: "report.json")
    let result = try Command.crashsym("--format", "collapsed", report)
    #expect(
      result.status == 65 && result.output == "" && result.errors == "crashsym: has no stack: \(report)\n", "\(result)")
  }

  @Test func notReports() throws {
    try expect(65, "an empty file, not a report", from: try scratch.write("", to: "empty"))
    try expect(65, "a JSON array, not a report", from: try scratch.write("[1, 2]", to: "array"))
    let brackets = String(repeating: "[", count: 200_000)
    try expect(65, "a JSON array, not a report", from: try scratch.write(brackets, to: "brackets"))
    try expect(
      65, "not a report: nested deeper than 128 levels at byte 132",
      from: try scratch.write(#"{"a":"# + brackets, to: "deep"))
    try expect(65, "neither a report nor a log that contains a report", from: try scratch.write("hello\n", to: "log"))
    try expect(65, "JSON, but not a report", from: try scratch.write("{\"a\": 1}\n", to: "json"))
  }

  @Test func aGigabyteOfZeros() throws {
    let path = try scratch.write("", to: "zeros")
    #expect(truncate(path, 1 << 30) == 0)
    try expect(65, "more than 256 MiB; if it is a log, cut out the part around the crash", from: path)
  }

  @Test func notFiles() throws {
    try expect(66, "no such file", from: scratch.path("none"))
    try expect(66, "a device, not a file", from: "/dev/zero")
    try expect(66, "a folder, not a report; give the *.json files in it", from: "/tmp")
    let pipe = scratch.path("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    try expect(66, "a pipe, not a file; give it on standard input", from: pipe)
    try expect(74, "cannot be read: Input/output error", from: "/proc/self/mem")
  }

  /// Root may read everything, so this runs as nobody where the tests run as root.
  @Test func noPermission() throws {
    let folder = scratch.path("locked")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let file = try scratch.write("{}", to: "locked-file", mode: 0)
    chmod(folder, 0)
    defer { chmod(folder, 0o700) }
    for path in [folder, file, folder + "/inside"] {
      let command = "'\(Command.crashsym)' '\(path)'"
      let result =
        getuid() == 0
        ? try Command.run("setpriv", ["--reuid=65534", "--clear-groups", "sh", "-c", command])
        : try Command.run("sh", ["-c", command])
      #expect(result.status == 66)
      #expect(result.errors == "crashsym: cannot be opened: Permission denied: \(path)\n")
    }
  }

  @Test func halfAReportIsShownAndMarked() throws {
    let full = try Data(contentsOf: URL(filePath: Command.fixture("CrashReportViewTests/Fixtures/full.json")))
    let path = scratch.path("20261121T082435.997Z-4711-crashReport.json.partial")
    try full.prefix(full.count / 2).write(to: URL(filePath: path))
    let result = try Command.crashsym(path)
    #expect(result.status == 0)
    #expect(result.output.contains("\nThis report is incomplete: it ends after \(full.count / 2) bytes, in threads["))
  }

  @Test func aNameOfAFileIsHarmlessOnATerminal() throws {
    let result = try Command.crashsym("/none\u{1B}[31m\n")
    #expect(result.errors == "crashsym: no such file: /none?[31m?\n")
  }

  @Test(arguments: [
    ("lokup", "lookup"), ("gruop", "group"), ("lookups", "lookup"), ("symbol", "symbols"), ("steam", "stream"),
    ("docter", "doctor"), ("rum", "run"),
  ])
  func mistypedCommands(_ word: String, _ command: String) throws {
    let result = try Command.crashsym(word, "x", "0x10")
    #expect(result.status == 64)
    #expect(result.errors == "crashsym: no such file or command, did you mean \(command)?: \(word)\n")
  }

  @Test(arguments: ["dump", "./lokup", "lokup.json", "crash-2026", ""]) func noMistypedCommands(_ word: String) throws {
    let result = try Command.crashsym(word)
    #expect(result.status == 66)
    #expect(result.errors == "crashsym: no such file: \(word)\n")
  }

  @Test func wrongUse() throws {
    for arguments in [["--format", "xml", "-"], ["--unknown"], ["--color", "red", "-"], ["run"], ["run", "ls"]] {
      #expect(try Command.run(Command.crashsym, arguments).status == 64, "\(arguments)")
    }
  }

  @Test func aFullDiskIsAnError() throws {
    let full = Command.fixture("CrashReportViewTests/Fixtures/full.json")
    let result = try Command.crashsym(full, outputTo: "/dev/full")
    #expect(result.status == 74)
    #expect(result.errors == "crashsym: cannot write: No space left on device: standard output\n")
  }
}
