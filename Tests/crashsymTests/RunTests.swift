import Foundation
import Testing

/// `crashsym run` with a library that does nothing: what a program is given and what comes back of it.
@Suite(.timeLimit(.minutes(30))) struct RunTests {
  private let scratch = try! Scratch()
  private let library: String

  init() throws {
    library = try scratch.compile("int crashkit_test_library;", to: "library.so", "-shared", "-fPIC")
  }

  private func run(
    _ arguments: String..., environment: [String: String?] = [:], input: String? = nil
  ) throws -> Command.Result {
    try Command.run(
      Command.crashsym, ["run"] + arguments,
      environment: environment.merging(["CRASHSYM_PRELOAD": library]) { given, _ in given }, input: input)
  }

  @Test func statusOfTheProgram() throws {
    #expect(try run("--", "sh", "-c", "exit 7").status == 7)
    #expect(try run("--", "true").status == 0)
    let end = try run("--", "sh", "-c", "kill -TERM $$")
    #expect(end.status == -SIGTERM)
    #expect(end.errors == "")
    #expect(try run("--", "sh", "-c", "kill -KILL $$").status == -SIGKILL)
    let crash = try run("--", "sh", "-c", "kill -SEGV $$")
    #expect(crash.status == -SIGSEGV)
    #expect(crash.errors == "crashsym: the program left no report: sh\n")
  }

  @Test func aDeadChildIsNamed() throws {
    let end = try run("--", "sh", "-c", "exit 139")
    #expect(end.status == 139)
    #expect(
      end.errors
        == "crashsym: no report: sh ended with status 139, perhaps because a child process died of SIGSEGV; --follow captures children\n"
    )
    let followed = try run("--follow", "--", "sh", "-c", "exit 134")
    #expect(
      followed.errors
        == "crashsym: no report: sh ended with status 134, perhaps because a child process died of SIGABRT\n")
    #expect(try run("--quiet", "--", "sh", "-c", "exit 139").errors == "")
    #expect(try run("--", "sh", "-c", "exit 143").errors == "")
  }

  @Test func aFolderWithoutReportsIsRemoved() throws {
    let script = "touch $CRASHKIT_DIRECTORY/a.ring; echo $CRASHKIT_DIRECTORY"
    func folder(_ result: Command.Result) -> String { String(result.output.dropLast()) }
    let unused = try run("--", "sh", "-c", script)
    #expect(!FileManager.default.fileExists(atPath: folder(unused)))
    let failed = try run("--", "sh", "-c", script + "; kill -SEGV $$")
    #expect(!FileManager.default.fileExists(atPath: folder(failed)))

    let used = try run("--", "sh", "-c", script + "; echo '{}' > $CRASHKIT_DIRECTORY/1-$$-crashReport.json")
    defer { try? FileManager.default.removeItem(atPath: folder(used)) }
    let left = try FileManager.default.contentsOfDirectory(atPath: folder(used))
    #expect(left.count == 1)
    #expect(left.first?.hasSuffix("-crashReport.json") == true)

    // A folder that the user named is the user's.
    let own = try run("--output", scratch.path("own"), "--", "sh", "-c", script)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder(own)) == ["a.ring"])
  }

  @Test func theRingOfALivingProcessIsLeft() throws {
    let script = """
      exec 9> $CRASHKIT_DIRECTORY/a.ring; flock 9; python3 -c 'import subprocess as s
      print(s.Popen(["sleep", "60"], pass_fds=[9], stdout=s.DEVNULL, stderr=s.DEVNULL).pid)'; echo $CRASHKIT_DIRECTORY
      """
    let words = try run("--", "sh", "-c", script).output.split(whereSeparator: \.isWhitespace).map(String.init)
    try #require(words.count == 2)
    defer { try? FileManager.default.removeItem(atPath: words[1]) }
    #expect(FileManager.default.fileExists(atPath: words[1] + "/a.ring"))
    kill(try #require(pid_t(words[0])), SIGKILL)
  }

  @Test func variablesOfTheProgram() throws {
    let script = "echo $LD_PRELOAD; echo $((CRASHKIT_RUN - $$)); echo $CRASHKIT_OPTIONS; ls -ld $CRASHKIT_DIRECTORY"
    let lines = try run("--", "sh", "-c", script).output.split(separator: "\n")
    #expect(lines[0] == library)
    #expect(lines[1] == "0")
    #expect(lines[2] == "summary=no")
    #expect(lines[3].hasPrefix("drwx------"))
    let folder = try #require(lines[3].split(separator: " ").last)
    #expect(!FileManager.default.fileExists(atPath: String(folder)))
  }

  @Test func variablesThatWereSetAreKept() throws {
    let script = "echo $LD_PRELOAD; echo $CRASHKIT_RUN; echo $CRASHKIT_OPTIONS; echo $CRASHKIT_DIRECTORY"
    let other = try scratch.compile("int other;", to: "other.so", "-shared", "-fPIC")
    let result = try run(
      "--follow", "--", "sh", "-c", script,
      environment: [
        "LD_PRELOAD": other, "CRASHKIT_OPTIONS": "registers=no", "CRASHKIT_DIRECTORY": scratch.path("reports"),
      ])
    #expect(result.output == "\(other):\(library)\nfollow\nregisters=no\n\(scratch.path("reports"))\n")
    let quiet = try run("--quiet", "--", "sh", "-c", "echo ${CRASHKIT_OPTIONS-unset}")
    #expect(quiet.output == "summary=no\n")
    let chosen = try run(
      "--quiet", "--", "sh", "-c", "echo $CRASHKIT_OPTIONS", environment: ["CRASHKIT_OPTIONS": "summary=yes"])
    #expect(chosen.output == "summary=yes\n")
  }

  @Test func newReportsAreShown() throws {
    let full = Command.fixture("CrashReportViewTests/Fixtures/full.json")
    let reports = scratch.path("reports")
    try FileManager.default.createDirectory(atPath: reports, withIntermediateDirectories: true)
    // One from before and one of another process are not ours to show.
    _ = try scratch.write("{}", to: "reports/20260101T000000.000Z-1-crashReport.json")
    let script = """
      cp '\(full)' "$CRASHKIT_DIRECTORY/20261121T082435.997Z-$$-crashReport.json"
      echo '{}' > "$CRASHKIT_DIRECTORY/20261121T082435.998Z-1-crashReport.json"
      kill -ABRT $$
      """
    let result = try run("--output", reports, "--", "sh", "-c", script)
    #expect(result.status == -SIGABRT)
    #expect(result.output == "")
    #expect(result.errors.contains("\napi 2.1 (build 7) died of SIGSEGV"))
    #expect(!result.errors.contains("not a report"))
    #expect(result.errors.contains("crashsym: the report is \(reports)/20261121T082435.997Z-"))
    let followed = try run("--follow", "--output", reports, "--", "sh", "-c", script.replacing("998", with: "999"))
    #expect(followed.errors.contains("crashsym: JSON, but not a report: \(reports)/20261121T082435.999Z-1-"))
    let quiet = try run("--quiet", "--output", reports, "--", "sh", "-c", script)
    #expect(quiet.errors == "")
  }

  @Test func standardInputAndArgumentsPassThrough() throws {
    #expect(try run("--", "cat", input: "hello").output == "hello")
    #expect(try run("--", "printf", "%s|", "a b", "", "--", "--quiet").output == "a b||--|--quiet|")
  }

  /// Mask and dispositions are those that crashsym was started with, an ignored SIGCHLD included.
  @Test func signalsOfTheProgram() throws {
    let command = "'\(Command.crashsym)' run -- grep Sig /proc/self/status"
    let environment = ["CRASHSYM_PRELOAD": library]
    // SwiftNIO ignores SIGPIPE in the process of the tests.
    let plain = try Command.run("sh", ["-c", "exec env --default-signal=PIPE \(command)"], environment: environment)
    let ignoring = try Command.run(
      "sh", ["-c", "exec env --default-signal=PIPE --ignore-signal=CHLD,INT,HUP \(command)"], environment: environment)
    func mask(_ name: String, _ result: Command.Result) -> UInt64? {
      let line = result.output.split(separator: "\n").first { $0.hasPrefix(name) }
      return line.flatMap { UInt64($0.split(separator: "\t")[1], radix: 16) }
    }
    func bits(_ signals: Int32...) -> UInt64 { signals.reduce(0) { $0 | 1 << UInt64($1 - 1) } }
    // Signals 32 and 33 are glibc's own, which posix_spawn(3) leaves ignored.
    let ours = ~bits(32, 33)
    #expect(mask("SigBlk", plain) == 0)
    #expect(mask("SigIgn", plain).map { $0 & ours } == 0)
    #expect(mask("SigIgn", ignoring).map { $0 & ours } == bits(SIGCHLD, SIGINT, SIGHUP))
  }

  @Test func scripts() throws {
    let plain = try scratch.write("exit 9\n", to: "plain", mode: 0o755)
    #expect(try run("--", plain).status == 9)
    let named = try scratch.write("#!/usr/bin/env sh\nexit $1\n", to: "named", mode: 0o755)
    #expect(try run("--", named, "8").status == 8)
  }

  @Test func programsThatDoNotStart() throws {
    func expect(_ status: Int32, _ line: String, _ program: String, sourceLocation: SourceLocation = #_sourceLocation)
      throws
    {
      let result = try run("--", program)
      #expect(result.status == status, sourceLocation: sourceLocation)
      #expect(result.errors == "crashsym: \(line)\n", sourceLocation: sourceLocation)
    }
    try expect(127, "no such program: no-such-program-here", "no-such-program-here")
    try expect(127, "no such program: ./none", "./none")
    let file = try scratch.write("", to: "file")
    try expect(126, "cannot be executed: Permission denied: \(file)", file)
    try expect(126, "cannot be executed: Permission denied: /tmp", "/tmp")
    let orphan = try scratch.write("#!/no/such/interpreter\n", to: "orphan", mode: 0o755)
    let result = try run("--", orphan)
    #expect(result.status == 127)
  }

  @Test func missingPartsAreNamed() throws {
    let none = scratch.path("none.so")
    let library = try run("--", "true", environment: ["CRASHSYM_PRELOAD": none])
    #expect(library.status == 66)
    #expect(
      library.errors == "crashsym: the library to preload is missing; "
        + "Scripts/install puts it beside crashsym, and in a clone `swift build --product CrashKitPreload` builds it; "
        + "looked for: \(none)\n")
    let folder = try run("--output", "/proc/none/reports", "--", "true")
    #expect(folder.status == 74)
    #expect(folder.errors == "crashsym: cannot keep reports: No such file or directory: /proc/none/reports\n")
    let made = scratch.path("not/there/yet")
    #expect(try run("--output", made, "--", "true").status == 0)
    #expect(FileManager.default.fileExists(atPath: made))
  }
}
