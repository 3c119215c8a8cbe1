import Foundation
import Testing

extension EndToEnd {
  /// `crashsym run` with programs whose runtime has its own way to die.
  @Suite struct ForeignRuntimeTests {
    // MARK: Rust

    private func panic(_ how: String, _ strategy: String) throws -> ProducedReport {
      let folder = try TemporaryFolder()
      let path = try Compiler.compile("panic.rs", into: folder, options: ["-C", "panic=\(strategy)"])
      let environment = ["RUST_BACKTRACE": "0"]
      let plain = try ProgramRun.run([path, how], environment: environment)
      let victim = try Victim([Products.crashsym, "run", "--quiet", "--", path, how], environment: environment)
      #expect(victim.run.end == plain.end)
      #expect(victim.run.standardOutput == plain.standardOutput)
      return try victim.report()
    }

    @Test(
      .enabled(if: Products.onPath("rustc") != nil, "there is no rustc here"), arguments: ["main", "thread", "long"])
    func aPanicsTextIsTheMessage(_ how: String) throws {
      let report = try panic(how, "abort")
      #expect(report.cause == "Rust panic")
      let message = try #require(report.message)
      #expect(message.hasPrefix(how == "thread" ? "thread 'worker' " : "thread 'main' "), "\(message)")
      #expect(message.contains(" panicked at ") && message.contains("panic.rs:"), "\(message)")
      let texts = [
        "main": "index out of bounds: the len is 3 but the index is 7", "thread": "no such order",
        "long": String(repeating: "x", count: 700) + "|2",
      ]
      #expect(texts[how].map(message.contains) == true, "\(message)")
      #expect(!message.contains("RUST_BACKTRACE"))
    }

    /// The thread that panicked has ended. Nothing shows whether the one that aborts does so for that.
    @Test(.enabled(if: Products.onPath("rustc") != nil, "there is no rustc here"))
    func anotherThreadsPanic() throws {
      let report = try panic("thread", "unwind")
      #expect(report.message == nil)
      #expect(report.cause == "abort() called")
      #expect(report.breadcrumbs?.last?.message.hasPrefix("thread 'worker' ") == true)
    }

    @Test(.enabled(if: Products.onPath("rustc") != nil, "there is no rustc here"))
    func aCaughtPanicIsNotTheMessageOfAFault() throws {
      let report = try panic("caught", "unwind")
      #expect(report.message == nil)
      #expect(report.cause?.hasPrefix("null pointer dereference") == true)
    }

    // MARK: Go

    private func go(_ how: String, traceback: String?) throws -> (plain: ProgramRun, victim: Victim) {
      let folder = try TemporaryFolder()
      let path = try Compiler.compile("fault.go", into: folder)
      let environment = ["GOTRACEBACK": traceback]
      let plain = try ProgramRun.run([path, how], environment: environment)
      let victim = try Victim([Products.crashsym, "run", "--quiet", "--", path, how], environment: environment)
      #expect(victim.run.end == plain.end)
      #expect(victim.run.standardOutput == plain.standardOutput)
      return (plain, victim)
    }

    /// Go ends the process by a system call, in its handler or after it: no stack can be taken, but there is word of the
    /// signal.
    @Test(
      .enabled(if: Products.onPath("go") != nil, "there is no go here"),
      arguments: [("c", "SIGSEGV", "unexplained"), ("go", "SIGSEGV", "unexplained"), ("abort", "SIGABRT", "crash")])
    func gosHandlerTakesTheCrash(_ how: String, _ signal: String, _ classification: String) throws {
      let (plain, victim) = try go(how, traceback: nil)
      #expect(plain.end == .exited(2))
      let path = try victim.reportPath()
      try expectValid(path)
      let report = try JSONDecoder().decode(EndedProcess.Report.self, from: Data(contentsOf: URL(filePath: path)))
      #expect(report.kind == "uncleanExit" && report.ending?.classification == classification)
      #expect(report.signal?.name == signal)
      #expect(report.cause?.contains("its own handler of \(signal)") == true, "\(report.cause ?? "none")")
      #expect(report.cause?.contains("status 2") == true, "\(report.cause ?? "none")")
      #expect(report.ending?.evidence.contains { $0.contains("GOTRACEBACK=crash") } == true)
    }

    /// Go then raises SIGABRT, on the stack of the fault.
    @Test(
      .enabled(if: Products.onPath("go") != nil, "there is no go here"),
      arguments: ["c", "go"])
    func goCanLeaveTheCrash(_ how: String) throws {
      let (plain, victim) = try go(how, traceback: "crash")
      #expect(plain.end == .killed(signal: SIGABRT))
      let report = try victim.report()
      #expect(report.kind == "crashReport" && report.signal?.name == "SIGABRT")
      // Six of Go's functions lead from the fault to the signal; the one that faulted follows.
      #expect(report.threads[0].frames.count >= 7)
    }

    @Test(.enabled(if: Products.onPath("go") != nil, "there is no go here"))
    func aThreadThatGoDoesNotKnow() throws {
      let (plain, victim) = try go("thread", traceback: nil)
      #expect(plain.end == .killed(signal: SIGSEGV))
      #expect(try victim.report().signal?.name == "SIGSEGV")
    }

    /// A fault that Go turns into a panic, and the program recovers from.
    @Test(.enabled(if: Products.onPath("go") != nil, "there is no go here"))
    func aRecoveredFaultLeavesNothing() throws {
      let (plain, victim) = try go("recovers", traceback: nil)
      #expect(plain.end == .exited(0))
      #expect(try victim.folder.files(endingWith: ".json").isEmpty)
      #expect(victim.run.standardError == plain.standardError)
    }

    /// `program` uses a library in Go in each way, and ends as without CrashKit.
    private func expectNoDifference(_ program: String, _ library: String) throws {
      for way in ["plain", "stack", "chained"] {
        let plain = try ProgramRun.run([program, library, way])
        try #require(plain.end == .exited(0), "\(way): \(plain.standardError)")
        let victim = try Victim([Products.crashsym, "run", "--quiet", "--", program, library, way])
        #expect(victim.run.end == plain.end, "\(way): \(victim.run.standardError)")
        #expect(victim.run.standardOutput == plain.standardOutput)
        #expect(try victim.folder.files(endingWith: ".json").isEmpty)
      }
    }

    @Test(.enabled(if: Products.onPath("go") != nil, "there is no go here"), .enabled(if: Products.testsAreFull))
    func aLibraryInGoThatIsOpenedLater() throws {
      let folder = try TemporaryFolder()
      let library = try Compiler.compile("go_library.go", into: folder, options: ["-buildmode=c-shared"])
      try expectNoDifference(Compiler.compile("uses_go.c", into: folder), library)
    }

    @Test(.enabled(if: Products.onPath("go") != nil, "there is no go here"), .enabled(if: Products.testsAreFull))
    func anArchiveInGo() throws {
      let folder = try TemporaryFolder()
      let archive = try Compiler.compile(
        "go_library.go", into: folder, options: ["-buildmode=c-archive", "-ldflags=-buildid="])
      let whole = ["-Wl,--whole-archive", archive, "-Wl,--no-whole-archive"]
      let linked = try Compiler.compile("uses_go.c", into: folder, options: ["-DHAS_ARCHIVE"] + whole)
      try expectNoDifference(linked, archive)
    }

    /// Where there is no Go: a library that does as Go's runtime does, with one mark of Go's linker or the other.
    @Test(arguments: [[], ["-DHAS_NO_NOTE"]]) func aLibraryLikeGos(_ options: [String]) throws {
      let folder = try TemporaryFolder()
      let library = try Compiler.compile("like_go.c", into: folder, options: ["-fPIC", "-shared"] + options)
      try expectNoDifference(Compiler.compile("uses_go.c", into: folder), library)
    }
  }
}
