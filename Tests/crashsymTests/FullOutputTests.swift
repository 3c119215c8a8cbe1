import Foundation
import Testing

/// A standard output that takes nothing, as on a full disk: one line and status 74, whatever is written.
struct FullOutputTests {
  private static let report = Command.fixture("CrashReportViewTests/Fixtures/full.json")
  private static let violation = Command.fixture("Releases/1.0.0-beta.1/lock-inversion.json")
  private static let program = Command.fixture("Aarch64/Cores/victim")

  private func check(_ arguments: [String], input: String? = nil) throws {
    let result = try Command.run(Command.crashsym, arguments, input: input, outputTo: "/dev/full")
    #expect(result.status == 74, "\(arguments): \(result.errors)")
    let line = "crashsym: cannot write: No space left on device: standard output\n"
    #expect(result.errors == line, "\(arguments)")
  }

  @Test func everyFormat() throws {
    let help = try Command.crashsym("show", "--help").output
    let list = try #require(help.firstMatch(of: /--format <format> +What to print: ([^.]*)\./)).1
    let formats = list.split { !$0.isLetter }
    #expect(formats.count > 10)
    for format in formats {
      try check(["show", "--format", String(format), format == "dot" ? Self.violation : Self.report])
    }
  }

  @Test(arguments: [
    ["--version"], ["--help"], ["help", "run"], ["doctor"], ["stream", report], ["group", report],
    ["group", "--format", "json", report], ["lookup", program, "0x1000"],
  ])
  func everyCommand(_ arguments: [String]) throws { try check(arguments) }

  @Test func symbolsThatAreFiled() throws {
    let folder = try Scratch()
    try check(["symbols", "add", Self.program, "--to", folder.path("store")])
  }
}
