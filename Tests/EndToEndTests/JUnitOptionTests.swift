import Foundation
import Testing

extension EndToEnd {
  /// `crashsym run --junit FILE`: the file that a test run left gets the case that it lacks.
  @Suite struct JUnitOptionTests {
    private let folder: TemporaryFolder
    private let file: URL
    private let program: String

    init() throws {
      folder = try TemporaryFolder()
      file = folder.url.appending(path: "tests.xml")
      program = try Compiler.compile("waiting.c", into: folder, options: ["-pthread"])
    }

    /// A run of a shell that leaves a text in the file and then goes on as a command does.
    private func run(
      leaving text: String?, then command: String? = nil, to path: String? = nil, environment: [String: String] = [:]
    ) throws -> ProgramRun {
      var script = command ?? "exec \(program)"
      if let text {
        try text.write(to: folder.url.appending(path: "left"), atomically: true, encoding: .utf8)
        script = "cp \(folder.url.path)/left \(file.path); \(script)"
      }
      let options = ["--quiet", "--output", folder.url.appending(path: "reports").path]
      return try ProgramRun.run(
        [Products.crashsym, "run", "--junit", path ?? file.path] + options + ["--", "/bin/sh", "-c", script],
        environment: environment)
    }

    private func suites() throws -> [String] {
      let text = try String(contentsOf: file, encoding: .utf8)
      #expect(text.hasSuffix("</testsuites>\n"), "\(text)")
      return text.matches(of: /<testsuite name="(\w+)"/).map { String($0.1) }
    }

    @Test func aSuiteIsAddedToWhatTheProgramLeft() throws {
      let left =
        "<testsuites>\n<testsuite name=\"TestResults\" tests=\"1\"><testcase name=\"a\"/></testsuite>\n</testsuites>\n"
      let run = try run(leaving: left)
      #expect(run.end == .killed(signal: SIGSEGV))
      #expect(try suites() == ["TestResults", "crashsym"])
      let text = try String(contentsOf: file, encoding: .utf8)
      #expect(text.contains("type=\"crashReport/SIGSEGV\"") && text.contains("deposit"), "\(text)")
    }

    @Test(arguments: ["", nil]) func anEmptyFileOrNoneGetsTheSuite(_ left: String?) throws {
      #expect(try run(leaving: left).end == .killed(signal: SIGSEGV))
      #expect(try suites() == ["crashsym"])
    }

    @Test func aFileThatIsNotJUnitIsKept() throws {
      let run = try run(leaving: "<testsuites><testsuite name=\"cut")
      #expect(run.end == .killed(signal: SIGSEGV))
      #expect(try suites() == ["crashsym"])
      let kept = try String(contentsOfFile: file.path + ".unread", encoding: .utf8)
      #expect(kept == "<testsuites><testsuite name=\"cut" && run.standardError.contains("tests.xml.unread"))
    }

    @Test func withoutADeathTheFileStays() throws {
      #expect(try run(leaving: "mine", then: "exec true").end == .exited(0))
      #expect(try String(contentsOf: file, encoding: .utf8) == "mine")
      #expect(!FileManager.default.fileExists(atPath: file.path + ".new"))
    }

    /// Swift Testing judges the end of an exit test, which it starts with this variable.
    @Test(arguments: [[:], ["SWT_EXIT_TEST_ID": "1"]])
    func aKilledExitTestIsNotACase(_ environment: [String: String]) throws {
      let run = try run(leaving: nil, then: "kill -KILL $$", environment: environment)
      #expect(run.end == .killed(signal: SIGKILL))
      let reports = try FileManager.default.contentsOfDirectory(atPath: folder.url.appending(path: "reports").path)
      #expect(reports.filter { $0.hasSuffix("-uncleanExit.json") }.count == 1, "\(reports)")
      #expect(FileManager.default.fileExists(atPath: file.path) == environment.isEmpty)
    }

    @Test func anUnwritableFileChangesNoStatus() throws {
      let run = try run(leaving: nil, to: "/proc/none/tests.xml")
      #expect(run.end == .killed(signal: SIGSEGV))
      #expect(run.standardError.contains("crashsym: cannot write: No such file or directory: /proc/none/tests.xml"))
    }

    /// A link that was there before: the program does not start. One that the program leaves: its status stays.
    @Test(arguments: [true, false]) func noLinkIsFollowed(_ isThereBefore: Bool) throws {
      let target = folder.url.appending(path: "target.xml")
      try "<testsuites/>".write(to: target, atomically: true, encoding: .utf8)
      let line = "crashsym: cannot write the JUnit file: a symbolic link, which is not followed: \(file.path)"
      let run: ProgramRun
      if isThereBefore {
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: target)
        run = try self.run(leaving: nil)
        #expect(run.end == .exited(74) && run.standardError == line + "\n")
      } else {
        run = try self.run(leaving: nil, then: "ln -s target.xml \(file.path); exec \(program)")
        #expect(run.end == .killed(signal: SIGSEGV) && run.standardError.contains(line), "\(run.standardError)")
      }
      #expect(try String(contentsOf: target, encoding: .utf8) == "<testsuites/>")
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: file.path).hasSuffix("target.xml"))
      #expect(!FileManager.default.fileExists(atPath: file.path + ".unread"))
    }
  }
}
