import Foundation
import Testing

@Suite struct ShowTests {
  private static let full = Command.fixture("CrashReportViewTests/Fixtures/full.json")
  private static let log = Command.fixture("CrashReportReadingTests/Fixtures/swift-runtime.log")

  private let scratch = try! Scratch()

  @Test func showsTextByDefault() throws {
    let result = try Command.crashsym(Self.full)
    #expect(result.status == 0)
    #expect(result.output.hasPrefix("api 2.1 (build 7) died of SIGSEGV in thread 4713"))
    #expect(result.errors == "")
  }

  @Test func readsStandardInput() throws {
    let text = try String(contentsOfFile: Self.log, encoding: .utf8)
    let named = try Command.crashsym("-", input: text)
    let unnamed = try Command.crashsym(input: text)
    #expect(named.status == 0)
    #expect(named.output.contains("price(of:in:)"))
    #expect(unnamed.output == named.output)
  }

  @Test func jsonIsTheSameReportOnOneLine() throws {
    let input = #"{"schema":"crashkit/1","new key":[1e400],"timestamp":"2026-11-21T08:24:35Z","kind":"crashReport"}"#
    let result = try Command.crashsym("--format", "json", input: input)
    let fingerprint = #""fingerprint":{"value":"2-7404578ee8692940","class":"crash","functions":[]}"#
    let expected = "\(input.dropLast()),\(#""symbolication":{"missingImages":[]}"#),\(fingerprint)}\n"
    #expect(result.output == expected)
  }

  @Test func symbolicatedReportsFitTheSchema() throws {
    let reports = scratch.path("reports.jsonl")
    for flags in [[], ["--scrub"]] {
      let result = try Command.run(Command.crashsym, ["--format", "json", Self.full] + flags)
      try Data(result.output.utf8).write(to: URL(filePath: reports))
      let schema = Command.fixture("../Docs/report.schema.json")
      let verdict = try Command.run("python3", [Command.fixture("Helpers/validate.py"), schema, reports])
      #expect(verdict.output == "\(reports): valid\n")
    }
  }

  @Test func findsFunctionAndLineOfARealProgram() throws {
    let program = try scratch.compile(
      "int answer(void) {\n  return *(volatile int *)0;\n}\nint main(void) { return answer(); }\n", to: "prog", "-g",
      "-O0", "-Wl,--build-id=sha1")
    let id = try FiledProgram.buildID(of: program)
    let symbols = try Command.run("nm", [program]).output.split(separator: "\n").map { $0.split(separator: " ") }
    let answer = try #require(symbols.first { $0.last == "answer" }.flatMap { UInt64($0[0], radix: 16) })
    let hex = String(answer + 4 + 0x5500_0000_0000, radix: 16)
    let address = "0x" + String(repeating: "0", count: 16 - hex.count) + hex
    let report = """
      {"schema":"crashkit/1","kind":"crashReport","images":[{"name":"prog","path":"\(program)",\
      "buildId":"\(id)","baseAddress":"0x0000550000000000"}],"threads":[{"id":1,"crashed":true,"frames":[\
      {"kind":"programCounter","address":"\(address)"}]}]}
      """
    let result = try Command.crashsym("--source", scratch.path("."), input: report)
    #expect(result.output.contains(" > 0  answer  \(program).c:2:"))
    #expect(result.output.contains("> 2 |   return *(volatile int *)0;\n"))
  }

  @Test func placesToSearchComeFromOptionsAndEnvironment() throws {
    let folders = ["one", "two", "three", "four"].map { scratch.path($0) }
    for folder in folders {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }
    let result = try Command.crashsym(
      Self.full, "--symbols", folders[0], "--symbols", folders[1],
      environment: ["CRASHSYM_SYMBOLS": "\(folders[2]):\(folders[3])"])
    for folder in folders { #expect(result.output.contains("searched \(folder)/.build-id/")) }
    #expect(try Command.crashsym("--help").output.contains("CRASHSYM_SYMBOLS"))
  }

  @Test func oldBreadcrumbsAreLeftOutUnlessAskedFor() throws {
    let breadcrumbs = (1...50).map {
      #"{"time":"2026-11-21T08:24:35Z","level":"info","message":"step-\#($0)-\#(String(repeating: "x", count: 300))"}"#
    }
    let report = #"{"schema":"crashkit/1","breadcrumbs":[\#(breadcrumbs.joined(separator: ","))]}"#
    let text = try Command.crashsym(input: report).output
    #expect(text.contains("Breadcrumbs\n  10 older ones are not shown; --all-breadcrumbs shows all\n"))
    #expect(!text.contains(" step-10-"))
    #expect(text.contains(" step-11-"))
    let steps = text.split(separator: "\n").filter { $0.contains(" step-") }
    #expect(steps.count == 40 && steps.allSatisfy { $0.count < 260 })
    #expect(text.contains("xx… (308 characters)"))
    let all = try Command.crashsym("--all-breadcrumbs", input: report).output
    #expect(all.contains(" step-1-"))
    #expect(!all.contains("not shown"))
  }

  @Test func breadcrumbsOfTheTaskStandAlone() throws {
    let breadcrumbs = (1...100).map {
      #"{"time":"2026-11-21T08:24:35Z","level":"info","task":\#($0 % 2 + 1),"message":"step-\#($0)-"}"#
    }
    let threads = #"[{"id":1,"crashed":true,"task":{"id":2}}]"#
    let list = breadcrumbs.joined(separator: ",")
    let report = #"{"schema":"crashkit/1","threads":\#(threads),"breadcrumbs":[\#(list)]}"#
    let text = try Command.crashsym("--task", input: report).output
    #expect(text.contains("  not shown: 50 breadcrumbs of other tasks and threads\n  10 older ones are not shown"))
    let steps = text.split(separator: "\n").filter { $0.contains(" step-") }
    #expect(steps.count == 40 && steps.allSatisfy { $0.hasPrefix("> ") } && steps.last?.contains("step-99-") == true)
  }

  @Test func breadcrumbsOfTheTaskHaveRoomFirst() throws {
    let breadcrumbs = (1...100).map {
      #"{"time":"2026-11-21T08:24:35Z","level":"info","task":\#($0 <= 3 ? 2 : 1),"message":"step-\#($0)-"}"#
    }
    let threads = #"[{"id":1,"crashed":true,"task":{"id":2}}]"#
    let list = breadcrumbs.joined(separator: ",")
    let text = try Command.crashsym(
      input: #"{"schema":"crashkit/1","threads":\#(threads),"breadcrumbs":[\#(list)]}"#
    ).output
    #expect(text.contains("  60 others are not shown; --all-breadcrumbs shows all\n  > marks those of task 2\n"))
    let steps = text.split(separator: "\n").filter { $0.contains(" step-") }
    let shown = ([1, 2, 3] + (64...100)).map { " step-\($0)-" }
    #expect(steps.count == 40 && zip(steps, shown).allSatisfy { $0.contains($1) }, "\(steps)")
  }

  @Test func severalFilesAreNamed() throws {
    let two = try Command.crashsym(Self.full, Self.log).output
    #expect(two.hasPrefix("\(Self.full):\napi 2.1 (build 7) died"))
    #expect(two.contains("\n\n\(Self.log):\n"))
    #expect(try Command.crashsym(Self.full).output.hasPrefix("api 2.1"))
    let json = try Command.crashsym("--format", "json", Self.full, Self.log).output
    let lines = json.split(separator: "\n")
    #expect(lines.count == 2 && lines.allSatisfy { $0.hasPrefix("{") })
  }

  @Test func theValidatorNamesFilesAndFails() throws {
    let schema = Command.fixture("../Docs/report.schema.json")
    let good = try scratch.write(try Command.crashsym("--format", "json", Self.full).output, to: "good.json")
    let bad = try scratch.write(#"{"schema":"crashkit/1"}"#, to: "bad.json")
    let validator = Command.fixture("Helpers/validate.py")
    let verdict = try Command.run(validator, [schema, good])
    #expect(verdict.status == 0)
    #expect(verdict.output == "\(good): valid\n")
    let both = try Command.run(validator, [schema, good, bad])
    #expect(both.status == 1)
    #expect(both.output.contains("\(bad): $: "))
  }

  @Test func scrubKeepsNoTexts() throws {
    let plain = try Command.crashsym(Self.full)
    let scrubbed = try Command.crashsym("--scrub", Self.full)
    for secret in ["DidEnterBackground", "tenant    blue", "--port", "Hello, world!"] {
      #expect(plain.output.contains(secret))
      #expect(!scrubbed.output.contains(secret))
    }
    #expect(scrubbed.output.contains("no price for item 7"))
  }

  @Test func colours() throws {
    func hasColor(_ arguments: [String], _ environment: [String: String?] = [:]) throws -> Bool {
      try Command.run(Command.crashsym, arguments + [Self.full], environment: environment).output.contains("\u{1B}[")
    }
    #expect(try !hasColor([]))
    #expect(try !hasColor(["--color", "never"]))
    #expect(try hasColor(["--color", "always"]))
    #expect(try hasColor(["--color", "always"], ["NO_COLOR": "1"]))
  }

  @Test func coloursOnATerminal() throws {
    func hasColor(_ environment: [String: String?]) throws -> Bool {
      let terminal = ["-qec", "'\(Command.crashsym)' '\(Self.full)'", "/dev/null"]
      let result = try Command.run("script", terminal, environment: environment)
      #expect(result.output.contains("died of SIGSEGV"))
      return result.output.contains("\u{1B}[")
    }
    #expect(try hasColor(["TERM": "xterm"]))
    #expect(try hasColor(["TERM": "xterm", "NO_COLOR": ""]))
    #expect(try !hasColor(["TERM": "xterm", "NO_COLOR": "1"]))
    #expect(try !hasColor(["TERM": "dumb"]))
  }

  @Test func goesOnAfterABadFile() throws {
    let result = try Command.crashsym("/none", Self.full, "/dev/null", "/tmp")
    #expect(result.status == 66)
    #expect(result.output.contains("died of SIGSEGV"))
    #expect(
      result.errors
        == """
        crashsym: no such file: /none
        crashsym: a device, not a file: /dev/null
        crashsym: a folder, not a report; give the *.json files in it: /tmp

        """)
  }
}
