import Foundation
import Testing

extension EndToEnd {
  /// `CRASHKIT_OPTIONS=guard=…`: memory that is used after its release or beyond its bounds.
  @Suite struct GuardedMemoryTests {
    private static let probe = "memory-guard-probe"

    private static func line(of mark: String, in source: String) throws -> Int {
      let tests = Products.root.appending(path: "Tests")
      let file = source == "main.swift" ? "MemoryGuardProbe/main.swift" : "EndToEndTests/Programs/\(source)"
      let text = try String(contentsOf: tests.appending(path: file), encoding: .utf8)
      let index = text.split(separator: "\n", omittingEmptySubsequences: false).firstIndex { $0.contains(mark) }
      return try #require(index) + 1
    }

    /// A program's report, and the text of that.
    private struct Death {
      let victim: Victim
      let report: ProducedReport
      let text: String
      let source: String
      private let folder: TemporaryFolder

      /// Compiles a program with optimisation, and runs it by `crashsym run`.
      init(_ source: String, _ how: String) throws {
        folder = try TemporaryFolder()
        let program = try Compiler.compile(source, into: folder)
        self.source = source
        victim = try Victim(
          [Products.crashsym, "run", "--", program, how], environment: ["CRASHKIT_OPTIONS": "guard=1"])
        _ = try victim.report()
        report = try victim.symbolicatedReport()
        text = try ProgramRun.run([Products.crashsym, try victim.reportPath()]).standardOutput
      }

      /// Runs the program that links the guard.
      init(linked how: String) throws {
        folder = try TemporaryFolder()
        source = "main.swift"
        let program = Products.folder.appending(path: GuardedMemoryTests.probe).path
        victim = try Victim([program, how], environment: ["CRASHKIT_OPTIONS": "guard=1"])
        _ = try victim.report()
        report = try victim.symbolicatedReport()
        text = try ProgramRun.run([Products.crashsym, try victim.reportPath()]).standardOutput
      }

      var memory: ProducedReport.Guarded {
        get throws { try #require(report.guarded, Comment(rawValue: victim.run.standardError)) }
      }

      /// The lines of the program in a stack, the innermost first: those of an object's class come before those that
      /// make or release it.
      func lines(_ frames: [ProducedReport.Frame]?) throws -> [Int] {
        let places = try #require(frames).compactMap(\.sourceLocation)
        return places.filter { $0.file.hasSuffix("/\(source)") && $0.line > 0 }.map(\.line)
      }

      /// Where the memory was allocated, released and used, by the marks in the source.
      func expectLines(allocated: String, released: String?, used: String) throws {
        let memory = try memory
        let (made, crashed) = (try lines(memory.allocated?.frames), try lines(report.threads[0].frames))
        #expect(made.prefix(3).contains(try GuardedMemoryTests.line(of: allocated, in: source)), "\(made)")
        #expect(crashed.prefix(2).contains(try GuardedMemoryTests.line(of: used, in: source)), "\(crashed)")
        #expect(text.contains("\nThe memory, \(memory.size) bytes"))
        #expect(text.contains("was allocated by thread"))
        #expect(text.contains("\nIt was released by thread") == (released != nil))
        guard let released else {
          #expect(memory.released == nil)
          return
        }
        let dropped = try lines(memory.released?.frames)
        #expect(dropped.prefix(3).contains(try GuardedMemoryTests.line(of: released, in: source)), "\(dropped)")
      }
    }

    @Test(arguments: ["read", "write"]) func useAfterFreeInC(_ how: String) throws {
      let death = try Death("released.c", how)
      #expect(death.victim.run.end == .killed(signal: SIGSEGV))
      #expect(death.report.causeCode == "useAfterFree")
      #expect(death.report.cause?.hasPrefix("use after free (\(how) at 0x") == true)
      let used = how == "read" ? "It is used here." : "It is changed here."
      try death.expectLines(allocated: "It is allocated here.", released: "It is released here.", used: used)
      let memory = try death.memory
      #expect(memory.size == 48 && memory.offset == 0 && memory.type == nil)
      #expect(memory.allocated?.thread == death.report.threads[0].id)
      #expect(memory.released?.thread != memory.allocated?.thread)
      let functions = memory.allocated?.frames.compactMap(\.description) ?? []
      #expect(functions.first?.contains("make") == true && functions.contains { $0.contains("main") }, "\(functions)")
    }

    @Test func useAfterItMoved() throws {
      let death = try Death("released.c", "moved")
      #expect(death.report.causeCode == "useAfterFree")
      try death.expectLines(
        allocated: "It is allocated here.", released: "It is moved here.", used: "It is used here.")
    }

    @Test func alignedMemoryIsGuardedToo() throws {
      let death = try Death("released.c", "aligned")
      #expect(death.report.causeCode == "useAfterFree")
      try death.expectLines(
        allocated: "It is allocated aligned here.", released: "It is released here.", used: "It is used here.")
    }

    @Test(arguments: ["over", "under"]) func accessBeyondItsBounds(_ how: String) throws {
      let death = try Death("released.c", how)
      #expect(death.victim.run.end == .killed(signal: SIGSEGV))
      #expect(death.report.causeCode == "\(how)run")
      try death.expectLines(allocated: "It is allocated here.", released: nil, used: "It is left here.")
      let offset = try death.memory.offset
      #expect(how == "over" ? offset >= 48 : offset < 0)
    }

    @Test(arguments: ["double", "inside"]) func refusedReleases(_ how: String) throws {
      let death = try Death("released.c", how)
      #expect(death.victim.run.end == .killed(signal: SIGABRT))
      #expect(death.report.causeCode == (how == "double" ? "doubleFree" : "misplacedFree"))
      try death.expectLines(
        allocated: "It is allocated here.", released: how == "double" ? "It is released here." : nil,
        used: "It is released here.")
      #expect(try death.memory.offset == (how == "double" ? 0 : 8))
      let said = how == "double" ? "double free of 0x" : ": no allocation begins there\n"
      #expect(death.victim.run.standardError.contains(said))
      let deed =
        how == "double" ? "it a second time." : "the address of its byte 8 instead of the address of its start."
      #expect(death.text.contains("\n  The program released \(deed)\n"))
    }

    @Test func useAfterFreeInSwift() throws {
      let death = try Death("released.swift", "bytes")
      #expect(death.report.causeCode == "useAfterFree")
      try death.expectLines(
        allocated: "Numbers are allocated here.", released: "Numbers are released here.",
        used: "Numbers are used here.")
      #expect(try death.memory.offset == 16)
    }

    @Test func swiftObjectsHaveATypeName() throws {
      let death = try Death("released.swift", "object")
      #expect(death.report.causeCode == "useAfterFree")
      let type = try #require(try death.memory.type)
      #expect(type.hasSuffix(".Order"))
      #expect(death.text.contains("bytes of \(type) at 0x"))
      let made = try death.lines(death.memory.allocated?.frames)
      #expect(made.prefix(3).contains(try Self.line(of: "An order is allocated", in: "released.swift")), "\(made)")
    }

    @Test(.enabled(if: Products.areOfThisBuild, "the probe is built with the tests alone"))
    func aProgramMayLinkIt() throws {
      let death = try Death(linked: "object")
      #expect(death.report.causeCode == "useAfterFree")
      #expect(try death.memory.type?.hasSuffix(".Order") == true)
      try death.expectLines(
        allocated: "It is allocated here.", released: "It is released here.", used: "It is used here.")
      #expect(try Death(linked: "twice").report.causeCode == "doubleFree")
    }

    /// The process dies as it would by libc, which has no report.
    @Test(.enabled(if: Products.areOfThisBuild, "the probe is built with the tests alone"))
    func itNeedsNoCrashKit() throws {
      let program = Products.folder.appending(path: Self.probe).path
      let victim = try Victim(
        [program, "alone"], environment: ["CRASHKIT_OPTIONS": "guard=1", "SWIFT_BACKTRACE": "enable=no"])
      #expect(victim.run.end == .killed(signal: SIGSEGV))
      #expect(try victim.folder.files(endingWith: ".json").isEmpty)
    }

    @Test(
      .enabled(if: Products.areOfThisBuild, "the probe is built with the tests alone"),
      arguments: ["no", "1", "7", "yes"])
    func healthyProgramsGoOn(_ share: String) throws {
      let program = Products.folder.appending(path: Self.probe).path
      let linked = try ProgramRun.run([program, "works"], environment: ["CRASHKIT_OPTIONS": "guard=\(share)"])
      #expect(linked.end == .exited(0), Comment(rawValue: linked.standardError))
      #expect(Int(linked.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)) == 1_172_500)

      let folder = try TemporaryFolder()
      let allocations = try Compiler.compile("allocations.c", into: folder)
      let run = try ProgramRun.run(
        [Products.crashsym, "run", "--", allocations], environment: ["CRASHKIT_OPTIONS": "guard=\(share)"], seconds: 300
      )
      #expect(run.end == .exited(0), Comment(rawValue: run.standardError))
      #expect(run.standardOutput == "as libc\n")
    }

    /// Chance decides: ten times its spread is allowed.
    @Test func theShareOfGuardedAllocationsIsKept() throws {
      let folder = try TemporaryFolder()
      let program = try Compiler.compile("allocations.c", into: folder)
      func guarded(_ options: String) throws -> Int? {
        let run = try ProgramRun.run(
          [Products.crashsym, "run", "--", program, "count"], environment: ["CRASHKIT_OPTIONS": options])
        return Int(run.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines))
      }
      #expect(try guarded("guard=1") == 100_000)
      #expect(try (800...1200).contains(#require(try guarded("guard=100"))))
      #expect(try guarded("guard=1,enable=no") == 0)
      #expect(try guarded("guard=1,guard=no") == 0)
    }

    /// A program that does not ask for the guard keeps its allocator.
    @Test func withoutTheOptionNoMemoryIsGuarded() throws {
      let folder = try TemporaryFolder()
      let program = try Compiler.compile("released.c", into: folder)
      for (options, found) in [("", "unguarded"), ("guard=no", "unguarded"), ("guard=1", "guarded")] {
        let run = try ProgramRun.run(
          [Products.crashsym, "run", "--", program, "look"], environment: ["CRASHKIT_OPTIONS": options])
        #expect(run.standardOutput == "\(found)\n", "\(options)")
      }
      let library = Products.folder.appending(path: "libCrashKitGuardPreload.so").path
      let preloaded = try ProgramRun.run([program, "look"], environment: ["LD_PRELOAD": library, "CRASHKIT_RUN": "1"])
      #expect(preloaded.standardOutput == "guarded\n")
    }

    /// An option that nothing serves is named.
    @Test func aGuardThatIsMissingIsNamed() throws {
      let folder = try TemporaryFolder()
      let program = try Compiler.compile("released.c", into: folder)
      let library = Products.folder.appending(path: "libCrashKitPreload.so").path
      let run = try ProgramRun.run(
        [program, "look"],
        environment: ["LD_PRELOAD": library, "CRASHKIT_OPTIONS": "guard=yes", "CRASHKIT_DIRECTORY": folder.url.path])
      #expect(run.standardError.contains("this program has no guard: link CrashKitGuard"))
      let guarded = try ProgramRun.run(
        [Products.crashsym, "run", "--", program, "look"], environment: ["CRASHKIT_OPTIONS": "guard=yes"])
      #expect(guarded.standardError.isEmpty)
    }

    /// A preloaded CrashKit finds the guard that the program links, also if the program never installs its own.
    @Test(arguments: ["", "alone"]) func aLinkedGuardIsKnownUnderCrashsymRun(_ how: String) throws {
      let victim = try Victim(
        [Products.crashsym, "run", "--", Products.folder.appending(path: Self.probe).path]
          + (how.isEmpty ? [] : [how]), environment: ["CRASHKIT_OPTIONS": "guard=1"])
      #expect(!victim.run.standardError.contains("has no guard"), "\(victim.run.standardError)")
      #expect(try victim.report().causeCode == "useAfterFree")
    }

    @Test func theLibraryReplacesTheseFunctions() throws {
      let nm = try #require(Products.onPath("nm"))
      let library = Products.folder.appending(path: "libCrashKitGuardPreload.so").path
      let run = try ProgramRun.run([nm, "--dynamic", "--defined-only", "--format=posix", library])
      try #require(run.end == .exited(0), Comment(rawValue: run.standardError))
      let names = run.standardOutput.split(separator: "\n").compactMap { line -> String? in
        let fields = line.split(separator: " ")
        return ["T", "W"].contains(fields[1]) ? String(fields[0]) : nil
      }
      #expect(
        Set(names) == [
          "malloc", "free", "calloc", "realloc", "reallocarray", "posix_memalign", "aligned_alloc", "memalign",
          "valloc", "pvalloc", "malloc_usable_size",
        ])
    }
  }
}
