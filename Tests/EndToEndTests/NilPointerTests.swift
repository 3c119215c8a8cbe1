import Foundation
import Testing

extension EndToEnd {
  /// A crash by a null pointer says which one it was, in the words of the source.
  @Suite struct NilPointerTests {
    /// A way to compile a program.
    struct Build: Sendable, CustomTestStringConvertible {
      var compiler: String
      var level: String
      var testDescription: String { "\(compiler) \(level)" }
      var isOptimized: Bool { level != "-O0" && level != "-Onone" }
    }

    /// A way to die, and the sentence; another one for optimised code, if that differs.
    typealias Row = (kind: String, plain: String, optimized: String?)

    private static let levels = ["-O0", "-O2"]
    private static func builds(_ compilers: [String]) -> [Build] {
      TestSet.all(
        compilers.flatMap { compiler in levels.map { Build(compiler: compiler, level: $0) } },
        quick: zip(compilers, levels).map { Build(compiler: $0, level: $1) })
    }
    private static let c = builds(["gcc", "clang"]), cxx = builds(["g++", "clang++"])
    private static let swift = TestSet.all(["-Onone", "-O"], quick: ["-O"]).map { Build(compiler: "swiftc", level: $0) }

    private static let cRows: [Row] = [
      ("parameter", "`order` is null: offset 24 is `order.items.count`.", nil),
      ("written", "`order` is null: offset 24 is `order.items.count`.", nil),
      ("first", "`order` is null: offset 0 is `order.number`.", nil),
      (
        "element", "`orders`, which points to `order`, is null.",
        "`orders` is null: offset 204 is `orders[2].marks[3]`."
      ),
      ("later_element", "`orders` is null: offset 204 is `orders[2].marks[3]`.", nil),
      ("bits", "`order`, which points to `order`, is null: the access was at offset 64.", nil),
      ("in_union", "`order`, which points to `order`, is null: the access was at offset 72.", nil),
      ("unnamed", "`place` is null: offset 4 is `point.y`.", nil),
      ("number", "`numbers` is null: offset 12 is `numbers[3]`.", nil),
      ("near", "`order` is nearly null (0x8): offset 32 is `order.marks[0]`.", nil),
      ("unknown", "`memory` is null: the access was at offset 40.", nil),
      ("through", "`order.customer` is null: offset 16 is `customer.visits`.", nil),
      ("variable", "`current` is null: offset 24 is `order.items.count`.", nil),
      ("local", "`order` is null: offset 24 is `order.items.count`.", nil),
      ("walk", "`node` is null: offset 0 is `node.value`.", nil),
    ]

    private static let cxxRows: [Row] = [
      ("member", "`this` is null: offset 12 is `Order.total`.", nil),
      ("inherited", "`order` is null: offset 8 is `Order.version`.", nil),
      ("referred", "`order` is null: offset 12 is `Order.total`.", nil),
      ("called", "`animal` is null: offset 0 is its table of virtual functions.", nil),
      ("derived", "`dog` is null: offset 12 is `Dog.tail`.", nil),
      ("caught", "`chosen` is null: offset 12 is `Order.total`.", nil),
    ]

    private static let swiftRows: [Row] = [
      ("total", "`order`, which points to `Order`, is null: the access was at offset 24.", nil),
      ("inner", "`order`, which points to `Order`, is null: the access was at offset 40.", nil),
      ("sum", "`self`, which points to `Order`, is null: the access was at offset 24.", nil),
      ("pointed", "`place`, which points to `Place`, is null: the access was at offset 8.", nil),
    ]

    private func compile(_ source: String, _ build: Build, into folder: TemporaryFolder) throws -> String {
      guard let compiler = Products.onPath(build.compiler) else {
        try Test.cancel("\(build.compiler) is not installed here")
      }
      let options: [String] =
        switch build.compiler {
        case "swiftc": ["-parse-as-library", "-Xlinker", "--build-id"]
        // Clang leaves out types that another file is to describe.
        case "clang++": ["-std=c++17", "-Wl,--build-id", "-fstandalone-debug"]
        case "g++": ["-std=c++17", "-Wl,--build-id"]
        default: ["-Wl,--build-id"]
        }
      let output = folder.url.appending(path: "program").path
      let input = Compiler.programs.appending(path: source).path
      let run = try ProgramRun.run([compiler, "-g", build.level] + options + ["-o", output, input], seconds: 120)
      try #require(run.end == .exited(0), Comment(rawValue: run.standardError))
      return output
    }

    /// What `crashsym run` prints of the pointer.
    private func sentence(_ program: String, _ kind: String) throws -> String? {
      let victim = try Victim([Products.crashsym, "run", "--", program, kind])
      #expect(victim.run.end == .killed(signal: SIGSEGV), "\(kind): \(victim.run.standardError)")
      let lines = victim.run.standardError.split(separator: "\n")
      return lines.first { $0.contains(/\bis (nearly )?null/) }.map(String.init)
    }

    private func expect(_ rows: [Row], of source: String, _ build: Build) throws {
      let folder = try TemporaryFolder()
      let program = try compile(source, build, into: folder)
      for row in rows {
        let expected = build.isOptimized ? row.optimized ?? row.plain : row.plain
        #expect(try sentence(program, row.kind) == expected, "\(build.testDescription), \(row.kind)")
      }
    }

    @Test(arguments: c) func programsInC(_ build: Build) throws {
      try expect(Self.cRows, of: "nil_pointers.c", build)
    }

    @Test(arguments: cxx) func programsInCxx(_ build: Build) throws {
      try expect(Self.cxxRows, of: "nil_pointers.cpp", build)
    }

    @Test(arguments: swift) func programsInSwift(_ build: Build) throws {
      try expect(Self.swiftRows, of: "nil_pointers.swift", build)
    }

    /// Of an inlined function's parameter and the member that it was given, either is right.
    @Test(arguments: c) func inlinedCalls(_ build: Build) throws {
      let folder = try TemporaryFolder()
      let program = try compile("nil_pointers.c", build, into: folder)
      let sentence = try #require(try sentence(program, "inlined"))
      #expect(sentence.firstMatch(of: /^`(order\.)?customer` is null: offset 16 is `customer.visits`.$/) != nil)
    }

    /// A name that may be wrong is not printed: the register, or nothing, stands in its place.
    @Test(arguments: c) func noNameRatherThanAWrongOne(_ build: Build) throws {
      let folder = try TemporaryFolder()
      let program = try compile("nil_pointers.c", build, into: folder)
      #expect(try sentence(program, "either")?.contains("`other`") != true)
      #expect(try sentence(program, "returned")?.contains("`") != true)
      let inCase = try sentence(program, "cases") ?? ""
      #expect(!inCase.contains("`") || inCase == "`order` is null: offset 36 is `order.marks[1]`.")
    }

    /// The offsets are gdb's.
    @Test(
      .enabled(if: Products.onPath("gdb") != nil, "there is no gdb here"), arguments: [("c", "gcc"), ("cpp", "g++")]
    ) func offsetsAreThoseOfGdb(_ language: (ending: String, compiler: String)) throws {
      let folder = try TemporaryFolder()
      let source = "nil_pointers.\(language.ending)"
      let program = try compile(source, Build(compiler: language.compiler, level: "-O0"), into: folder)
      let gdb = try #require(Products.onPath("gdb"))
      for row in language.ending == "c" ? Self.cRows : Self.cxxRows {
        guard let match = row.plain.firstMatch(of: /offset (\d+) is `(\w+)\.([^`]+)`/) else { continue }
        let (offset, type, member) = (match.output.1, match.output.2, match.output.3)
        let prefix = language.ending == "cpp" ? "shop::" : type == "point" ? "" : "struct "
        let expression = "(long)&((\(prefix)\(type) *)0)->\(member)"
        let run = try ProgramRun.run([gdb, "-nx", "-batch", "-ex", "print \(expression)", program])
        #expect(run.standardOutput.contains("= \(offset)\n"), "\(expression): \(run.standardOutput)")
      }
    }

    /// The report says it to programs, and each view to people.
    @Test func everyFormatNamesTheNilPointer() throws {
      let folder = try TemporaryFolder()
      let program = try compile("nil_pointers.c", Build(compiler: "gcc", level: "-O2"), into: folder)
      let victim = try Victim([Products.crashsym, "run", "--", program, "through"])
      let pointer = try #require(try victim.symbolicatedReport().fault?.pointer)
      #expect(pointer.name == "order.customer" && pointer.type == "customer" && pointer.member == "visits")
      #expect(pointer.offset == 16 && pointer.value == "0x0000000000000000")
      let path = try victim.reportPath()
      let symbolicated = folder.url.appending(path: "symbolicated.json").path
      let run = try ProgramRun.run([Products.crashsym, "--format", "json", path])
      try run.standardOutput.write(toFile: symbolicated, atomically: true, encoding: .utf8)
      try expectValid(symbolicated)
      for format in ["text", "html", "markdown"] {
        let run = try ProgramRun.run([Products.crashsym, "--format", format, path])
        let text = run.standardOutput.replacing("`", with: "").replacing("\\", with: "")
        #expect(text.contains("order.customer is null: offset 16 is customer.visits"), "\(format): \(text)")
      }
    }
  }
}
