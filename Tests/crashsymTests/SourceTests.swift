import Foundation
import Testing

/// Which files crashsym shows lines of: input chooses none.
@Suite(.timeLimit(.minutes(30))) struct SourceTests {
  private let scratch = try! Scratch()

  private static let code = """
    static void inner(int *p) {
      *p = 1;  // the place
    }
    int main(void) {
      inner((int *)0);
    }
    """

  init() throws {
    for folder in ["ci/Sources/app", "here/Sources/app", "empty"] {
      try FileManager.default.createDirectory(atPath: scratch.path(folder), withIntermediateDirectories: true)
    }
    _ = try scratch.write("outside 1\noutside 2\noutside 3\n", to: "outside.txt")
  }

  /// Compiles the program from `ci/Sources/app/main.c`.
  private func program(_ code: String = code, buildID: String = "sha1") throws -> String {
    try scratch.compile(code, to: "ci/Sources/app/main", "-g", "-O0", "-Wl,--build-id=\(buildID)")
  }

  /// A report of the program's death in `inner`.
  private func report(_ program: String, after first: String = "") throws -> String {
    let symbols = try Command.run("nm", [program]).output.split(separator: "\n").map { $0.split(separator: " ") }
    let inner = try #require(symbols.first { $0.last == "inner" }.flatMap { UInt64($0[0], radix: 16) })
    let address = String(inner + 12, radix: 16)
    let place = String(repeating: "0", count: 16 - address.count) + address
    let notes = try Command.run("readelf", ["-n", program]).output
    let id = notes.split(separator: "\n").first { $0.contains("Build ID: ") }?.split(separator: " ").last
    let build = id.map { #""buildId":"\#($0)","# } ?? ""
    return try scratch.write(
      """
      {"schema":"crashkit/1","timestamp":"2999-11-21T08:24:35Z","kind":"crashReport","signal":{"number":11,\
      "name":"SIGSEGV"},"images":[{"name":"main","path":"\(program)",\(build)"baseAddress":"0x0000000000000000"}],\
      "threads":[{"id":1,"crashed":true,"frames":[\(first){"kind":"programCounter","address":"0x\(place)"}]}]}
      """, to: "report.json")
  }

  private func show(in folder: String, _ arguments: String...) throws -> Command.Result {
    try show(in: folder, arguments)
  }

  private func show(in folder: String, _ arguments: [String]) throws -> Command.Result {
    let script = ["-c", "cd \"$0\" && exec \"$@\"", scratch.path(folder), Command.crashsym]
    return try Command.run("/bin/sh", script + arguments)
  }

  // MARK: What input says

  @Test func aLocationOfAReportOpensNothing() throws {
    let location = #""sourceLocation":{"file":"\#(scratch.path("outside.txt"))","line":2,"column":1}"#
    let frame = #"{"kind":"returnAddress","address":"0x0000000000000900","description":"f",\#(location)}"#
    let file = try scratch.write(
      #"{"schema":"crashkit/1","kind":"crashReport","threads":[{"id":1,"crashed":true,"frames":[\#(frame)]}]}"#,
      to: "forged.json")
    for arguments in [[file], ["--source", scratch.path("."), file]] {
      let text = try show(in: ".", arguments)
      #expect(text.output.contains("outside.txt:2:1") && !text.output.contains("outside 2"), "\(arguments)")
    }
  }

  @Test func aLocationOfALogOpensNothing() throws {
    let log = """
      *** Signal 11: Backtracing from 0x1000... done ***

      *** Program crashed: Bad pointer dereference at 0x0000000000000004 ***

      Thread 0 crashed:

      0 0x0000000000001000 foo + 4 in x at \(scratch.path("outside.txt")):2:3

      """
    let file = try scratch.write(log, to: "forged.log")
    let text = try show(in: ".", file).output
    #expect(text.contains("outside.txt:2:3") && !text.contains("outside 2"), "\(text)")
  }

  /// An entry that the report brings along is as good as the address that it has.
  @Test func aForgedEntryBeforeATrueOneOpensNothing() throws {
    let forged =
      #"{"kind":"returnAddress","address":"0x0000000000000001","description":"f","#
      + #""sourceLocation":{"file":"\#(scratch.path("here/private.c"))","line":2}},"#
    _ = try scratch.write("one\nsecret\nthree\n", to: "here/private.c")
    let text = try show(in: "here", "--no-cache", try report(try program(), after: forged)).output
    #expect(text.contains("private.c:2") && !text.contains("secret"), "\(text)")
  }

  /// Debug information names files too, and whoever made the program wrote it.
  @Test(arguments: ["/etc/passwd", "../../../outside.txt", "link.txt", "folder/outside.txt", ".env", "private.c"])
  func debugInformationOpensNoOtherFile(_ name: String) throws {
    let here = scratch.path("ci/Sources/app/")
    try FileManager.default.createSymbolicLink(atPath: here + "link.txt", withDestinationPath: "../../../outside.txt")
    try FileManager.default.createSymbolicLink(atPath: here + "folder", withDestinationPath: "../../..")
    _ = try scratch.write("outside 1\noutside 2\noutside 3\n", to: "ci/Sources/app/.env")
    _ = try scratch.write("outside 1\noutside 2\noutside 3\n", to: "ci/Sources/app/private.c", mode: 0o600)
    let path = name.hasPrefix("/") ? name : here + name
    let program = try program(Self.code.replacing("  *p", with: "#line 2 \"\(path)\"\n  *p"))
    let text = try show(in: "ci/Sources/app", try report(program)).output
    #expect(text.contains(" > 0  inner") && text.contains(":2:"), "\(text)")
    #expect(!text.contains("outside 2") && !text.contains(" | "), "\(text)")
  }

  // MARK: What is shown

  @Test func ownLinesOfTheRightBuildAreShown() throws {
    let report = try report(try program())
    let shown = "*p = 1;  // the place"
    #expect(try show(in: "ci", report).output.contains(shown))
    #expect(try !show(in: "ci", "--no-source", report).output.contains(shown))
    #expect(try !show(in: "ci", "--no-source", "--source", ".", report).output.contains(shown))
    #expect(try !show(in: "ci", "--scrub", report).output.contains(shown))
    // Elsewhere only if the folder is named.
    #expect(try !show(in: "empty", report).output.contains(shown))
    #expect(try show(in: "empty", "--source", "../ci", report).output.contains(shown))
  }

  @Test func linesOfABuildThatWasNotCheckedAreNotShown() throws {
    let text = try show(in: "ci", try report(try program(buildID: "none"))).output
    #expect(text.contains("Sources/app/main.c:2:") && !text.contains("the place"), "\(text)")
    #expect(text.contains("the build was not checked and no source lines are shown: main"), "\(text)")
  }

  @Test func aPrivateFileNeedsItsFolderNamed() throws {
    let report = try report(try program())
    #expect(chmod(scratch.path("ci/Sources/app/main.c"), 0o600) == 0)
    let text = try show(in: "ci", report).output
    #expect(!text.contains("the place"))
    #expect(
      text.contains(
        "(not shown: the file has several hard links, or not all users may read it; give its folder with --source)"),
      "\(text)")
    #expect(try show(in: "ci", "--source", ".", report).output.contains("the place"))
  }

  // MARK: Sources that were built elsewhere

  @Test func sourcesBuiltElsewhereAreFound() throws {
    let report = try report(try program())
    _ = try scratch.write(Self.code, to: "here/Sources/app/main.c")
    let guessed = try show(in: "here", report).output
    #expect(guessed.contains(" > 0  inner  Sources/app/main.c:2:"), "\(guessed)")
    #expect(guessed.contains("(a guess: the program was built from \(scratch.path("ci/Sources/app/main.c")))"))
    #expect(guessed.contains("the place"))
    let rule = "\(scratch.path("ci"))=../here"
    let mapped = try show(in: "empty", "--source", rule, report).output
    #expect(mapped.contains("the place") && !mapped.contains("a guess"), "\(mapped)")
    try FileManager.default.removeItem(atPath: scratch.path("ci/Sources/app/main.c"))
    // GitHub and SARIF have paths from the repository's folder, whichever folder the command runs in.
    try FileManager.default.createDirectory(atPath: scratch.path(".git"), withIntermediateDirectories: false)
    for arguments in [[], ["--source", rule]] {
      let github = try show(in: "here", ["--format", "github"] + arguments + [report])
      #expect(github.output.hasPrefix("::error file=here/Sources/app/main.c,line=2,"), "\(github.output)")
    }
    let sarif = try show(in: "empty", "--source", rule, "--format", "sarif", report).output
    #expect(sarif.contains(#""uri":"here/Sources/app/main.c","uriBaseId":"SRCROOT""#), "\(sarif)")
  }

  // MARK: Bad values

  @Test(arguments: ["", "=.", "/ci=", "/no/such/folder", "/ci=/no/such/folder", "report.json"])
  func badValuesEndWithOneLine(_ value: String) throws {
    let report = try report(try program())
    let marker = scratch.path("started")
    for arguments in [["--source", value, report], ["run", "--source", value, "--", "touch", marker]] {
      let result = try show(in: ".", arguments)
      #expect(result.status == 64 && result.output == "", "\(result)")
      #expect(result.errors.hasPrefix("crashsym: --source") && result.errors.filter { $0 == "\n" }.count == 1)
    }
    #expect(!FileManager.default.fileExists(atPath: marker))
  }
}
