import Foundation
import Testing

/// What a CI job keeps, and what is read with it on another machine: a program is built, its symbols are filed, the
/// stripped program crashes, its report is moved, and all that is left is the report and the store.
@Suite(.serialized, .timeLimit(.minutes(30))) struct SymbolsStoryTests {
  private let scratch = try! Scratch()

  private static let swift = """
    struct Store {
      var items: [Int]
      func pick(_ index: Int) -> Int {
        return items[index]
      }
    }
    @inline(never) func serve(_ store: Store, _ index: Int) -> Int {
      return store.pick(index) + 1
    }
    @main struct API {
      static func main() {
        print(serve(Store(items: [1, 2, 3]), CommandLine.arguments.count + 5))
      }
    }
    """

  /// Crashes a program and gives its report, which lies in a folder of its own.
  private func crash(_ program: String, _ folder: String) throws -> String {
    let reports = scratch.path(folder)
    let result = try Command.run(
      Command.crashsym, ["run", "--quiet", "--output", reports, "--", program],
      environment: ["SWIFT_BACKTRACE": "enable=no"])
    #expect(result.status < 0)
    let names = try FileManager.default.contentsOfDirectory(atPath: reports).filter { $0.hasSuffix(".json") }
    try #require(names.count == 1)
    return "\(reports)/\(names[0])"
  }

  /// The crashed thread's own functions with their lines.
  private func stack(_ report: String, environment: [String: String] = [:]) throws -> [String] {
    let result = try Command.run(Command.crashsym, [report], environment: environment)
    try #require(result.status == 0)
    return result.output.split(separator: "\n").map(String.init).filter { $0.contains(".swift:") }
  }

  @Test(arguments: ["-Onone", "-O"]) func fromTheBuildToTheLaptop(_ optimisation: String) throws {
    let source = try scratch.write(Self.swift, to: "api.swift")
    let program = scratch.path("api")
    let flags = ["-g", optimisation, "-parse-as-library", "-Xlinker", "--build-id=sha1", source, "-o", program]
    let built = try Command.run("swiftc", flags)
    try #require(built.status == 0, "\(built.errors)")
    let expected = try stack(try crash(program, "before"))
    #expect(expected.contains { $0.contains("serve") && $0.contains("api.swift:8") }, "\(expected)")
    #expect(expected.contains { $0.contains("pick") && $0.contains("api.swift:4") })

    let store = scratch.path("kept/symbols")
    try FileManager.default.createDirectory(atPath: scratch.path("kept"), withIntermediateDirectories: true)
    let added = try Command.run(Command.crashsym, ["symbols", "add", program, "--to", store, "--strip"])
    #expect(added.status == 0, "\(added.errors)")
    let report = try crash(program, "production")

    let moved = scratch.path("laptop.json")
    try FileManager.default.moveItem(atPath: report, toPath: moved)
    for path in [program, scratch.path("production"), scratch.path("before")] {
      try FileManager.default.removeItem(atPath: path)
    }
    let without = try Command.run(Command.crashsym, [moved]).output
    #expect(!without.contains("api.swift"))
    #expect(without.contains("api was not found, so it has no symbols here (build ID "))
    #expect(try stack(moved, environment: ["CRASHSYM_SYMBOLS": "/nowhere:\(store)"]) == expected)
    // Another build at the old place changes nothing.
    let other = try scratch.write(Self.swift.replacing("+ 1", with: "+ 2"), to: "other.swift")
    try #require(
      try Command.run("swiftc", flags.dropLast(3) + [other, "-o", program]).status == 0)
    #expect(try stack(moved, environment: ["CRASHSYM_SYMBOLS": store]) == expected)
    let rebuilt = try Command.run(Command.crashsym, [moved]).output
    #expect(rebuilt.contains("\(program) is of another build (build ID "))
    #expect(!rebuilt.contains("other.swift"))
  }

  /// A report without build IDs is read with files of the right names, and says that they may be wrong.
  @Test func buildsThatCannotBeChecked() throws {
    let program = try scratch.compile(
      "int answer(void) { return *(volatile int *)0; }\nint main(void) { return answer(); }\n", to: "prog", "-g",
      "-O0", "-Wl,--build-id=sha1")
    let symbols = try Command.run("nm", [program]).output.split(separator: "\n").map { $0.split(separator: " ") }
    let answer = String(try #require(symbols.first { $0.last == "answer" })[0])
    func report(_ year: Int, _ buildID: String = "") -> String {
      """
      {"schema":"crashkit/1","timestamp":"\(year)-11-21T08:24:35Z","kind":"crashReport","images":[{"name":"prog",\
      "path":"\(program)",\(buildID)"baseAddress":"0x0000000000000000"}],"threads":[{"id":1,"crashed":true,"frames":[\
      {"kind":"programCounter","address":"0x\(answer)"}]}]}
      """
    }
    let changed = "prog has no build ID in the report, and \(program) was changed after the crash: what is shown of it"
    let unchecked = "no build ID in the report, so the build was not checked and no source lines are shown: prog\n"
    let old = try Command.crashsym(input: report(2001)).output
    #expect(old.contains("answer") && old.contains(changed) && !old.contains(unchecked))
    let new = try Command.crashsym(input: report(2999)).output
    #expect(new.contains("answer") && !new.contains(changed) && new.contains(unchecked))
    let id = try FiledProgram.buildID(of: program)
    let checked = try Command.crashsym(input: report(2001, #""buildId":"\#(id)","#)).output
    #expect(checked.contains("answer") && !checked.contains("no build ID in the report"))
    let json = try Command.crashsym("--format", "json", input: report(2001)).output
    #expect(
      json.contains(#""unverifiedImages":[{"name":"prog","foundPath":"\#(program)","changedSince":true}]"#))
  }
}
