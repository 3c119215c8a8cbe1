import Foundation
import Testing

/// What is said of images whose symbols are missing, and where symbols are found.
@Suite struct MissingSymbolsTests {
  private let scratch = try! Scratch()

  /// A program that was built with debug information, and a report of its death in `answer`.
  private struct Victim {
    var program: String
    var buildID: String
    var report: String
  }

  private func victim() throws -> Victim {
    let program = try scratch.compile(
      "int answer(void) {\n  return *(volatile int *)0;\n}\nint main(void) { return answer(); }\n", to: "prog", "-g",
      "-O0", "-Wl,--build-id=sha1")
    let symbols = try Command.run("nm", [program]).output.split(separator: "\n").map { $0.split(separator: " ") }
    let answer = try #require(symbols.first { $0.last == "answer" }.flatMap { UInt64($0[0], radix: 16) })
    let notes = try Command.run("readelf", ["-n", program]).output
    let buildID = try #require(notes.firstMatch(of: /Build ID: ([0-9a-f]+)/)).1
    let hex = String(answer + 4 + 0x5500_0000_0000, radix: 16)
    let address = "0x" + String(repeating: "0", count: 16 - hex.count) + hex
    let report = """
      {"schema":"crashkit/1","timestamp":"2026-11-21T08:24:35Z","kind":"crashReport","images":[{"name":"prog",\
      "path":"\(program)","buildId":"\(buildID)","baseAddress":"0x0000550000000000",\
      "endOfText":"0x0000550000010000"}],"threads":[{"id":1,"crashed":true,"stackEnd":"entry","frames":[\
      {"kind":"programCounter","address":"\(address)"}]},{"id":2,"frames":[]}]}
      """
    return Victim(program: program, buildID: String(buildID), report: report)
  }

  @Test(arguments: [("-g", "only a symbol table"), ("-s", "only the names of exported functions")])
  func aStrippedProgramIsNamedAfterTheCrashedStack(_ flag: String, _ what: String) throws {
    let victim = try victim()
    #expect(try !Command.crashsym(input: victim.report).output.contains("debug information"))
    _ = try Command.run("strip", [flag, victim.program])
    let text = try Command.crashsym(input: victim.report).output
    let hint = try #require(
      text.firstRange(of: "\nprog has no debug information, \(what) (build ID \(victim.buildID))\n"))
    #expect(text.contains("\n  searched \(victim.program)\n"))
    #expect(text.contains("--symbols DIR"))
    let crashed = try #require(text.firstRange(of: "Thread 1 crashed"))
    let other = try #require(text.firstRange(of: "Thread 2"))
    #expect(crashed.lowerBound < hint.lowerBound && hint.lowerBound < other.lowerBound)
  }

  @Test func aStrippedProgramIsInTheJSON() throws {
    let victim = try victim()
    _ = try Command.run("strip", ["-g", victim.program])
    let json = try Command.crashsym("--format", "json", input: victim.report).output
    #expect(
      json.contains(
        #""missingImages":[{"name":"prog","path":"\#(victim.program)","buildId":"\#(victim.buildID)","#
          + #""debugInfo":"symbolTable","foundPath":"\#(victim.program)","foundBuildId":"\#(victim.buildID)","#
          + #""searched":["\#(victim.program)""#))
  }

  @Test func symbolsAreFoundByBuildIDUnderAnyName() throws {
    let victim = try victim()
    let folder = scratch.path("symbols/releases/2.1")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    _ = try Command.run("objcopy", ["--only-keep-debug", victim.program, folder + "/whatever"])
    _ = try scratch.write("no program", to: "symbols/releases/readme")
    let line = " > 0  answer  \(victim.program).c:2:"
    _ = try Command.run("strip", [victim.program])
    #expect(try !Command.crashsym(input: victim.report).output.contains(line))
    #expect(try Command.crashsym("--symbols", scratch.path("symbols"), input: victim.report).output.contains(line))
    // The same where the program itself is gone.
    try FileManager.default.removeItem(atPath: victim.program)
    #expect(try Command.crashsym("--symbols", scratch.path("symbols"), input: victim.report).output.contains(line))
    let variable = ["CRASHSYM_SYMBOLS": scratch.path("symbols")]
    #expect(try Command.crashsym(environment: variable, input: victim.report).output.contains(line))
  }

  @Test func foldersTooDeepAreNotSearched() throws {
    let victim = try victim()
    let folder = scratch.path("symbols/1/2/3/4/5")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try FileManager.default.moveItem(atPath: victim.program, toPath: folder + "/whatever")
    #expect(
      try !Command.crashsym("--symbols", scratch.path("symbols"), input: victim.report).output.contains("answer"))
    #expect(
      try Command.crashsym("--symbols", scratch.path("symbols/1"), input: victim.report).output.contains("answer"))
  }

  @Test func aFolderWithTooManyFilesIsNamed() throws {
    let victim = try victim()
    let folder = scratch.path("symbols")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try FileManager.default.moveItem(atPath: victim.program, toPath: folder + "/zz")
    for number in 1...9_999 { close(creat("\(folder)/\(number)", 0o600)) }
    #expect(try Command.crashsym("--symbols", folder, input: victim.report).output.contains("answer"))
    close(creat("\(folder)/a", 0o600))
    let text = try Command.crashsym("--symbols", folder, input: victim.report).output
    #expect(!text.contains("answer"))
    #expect(text.contains("there are more than the 10000 that were looked at"))
  }

  @Test func aFolderThatIsNotThereIsAnError() throws {
    for command in [["-"], ["run", "--", "true"]] {
      let at = command.firstIndex(of: "--") ?? command.count
      var arguments = command
      arguments.insert(contentsOf: ["--symbols", "/no/such/folder"], at: at)
      let result = try Command.run(Command.crashsym, arguments, input: try victim().report)
      #expect(result.status == 66)
      #expect(result.errors == "crashsym: no such folder of symbols: /no/such/folder\n")
      #expect(result.output == "")
    }
  }
}
