import Foundation
import Testing

extension EndToEnd {
  /// `diagdemo stress` as its users call it. Every workload: the step `stress` of Scripts/test.
  @Suite struct StressTests {
    /// Whether the program under test has ThreadGuard: a release build without the trait has none. A program that ends
    /// in another way fails the tests.
    private static let guarding = Result {
      let run = try stress(["--workload", "inversion", "--variant", "correct"], into: try TemporaryFolder())
      try #require([.exited(0), .exited(69)].contains(run.end), "\(run.end): \(run.standardError)")
      return run.end == .exited(0)
    }
    private static func isGuarded() throws -> Bool { try guarding.get() }

    #if DEBUG
      /// Without ThreadGuard, the tests below would all be skipped.
      @Test(.enabled(if: Products.areOfThisBuild, "the programs are those of another build"))
      func aDebugBuildHasThreadGuard() throws { #expect(try Self.isGuarded()) }
    #endif

    private static func stress(
      _ arguments: [String], into folder: TemporaryFolder, environment: [String: String?] = [:]
    ) throws -> ProgramRun {
      let quick = arguments.contains("--duration") ? [] : ["--duration", "0.5"]
      return try ProgramRun.run(
        [Products.diagdemo, "stress", "--output", folder.url.path] + quick + arguments,
        environment: environment.merging(["THREADGUARD_OPTIONS": nil, "CRASHKIT_DIRECTORY": nil]) { own, _ in own },
        seconds: 120)
    }

    @Test(.enabled(if: try !isGuarded(), "this build has ThreadGuard"))
    func aBuildWithoutThreadGuardSaysHowToGetIt() throws {
      let run = try Self.stress(["--variant", "correct"], into: try TemporaryFolder())
      #expect(run.end == .exited(69))
      #expect(run.standardError.contains("--traits default,ThreadGuardInRelease"))
    }

    @Test(.enabled(if: try isGuarded(), "this build has no ThreadGuard"))
    func correctVariantPasses() throws {
      let folder = try TemporaryFolder()
      let run = try Self.stress(["--workload", "race", "--variant", "correct", "--seed", "7"], into: folder)
      #expect(run.end == .exited(0), Comment(rawValue: run.standardOutput + run.standardError))
      #expect(run.standardOutput.hasPrefix("seed 7: diagdemo stress --workload race --variant correct --seed 7 "))
      #expect(run.standardOutput.contains("1 of 1 variants passed, 0 failed"))
      #expect(run.standardError == run.standardError.replacing("\u{1B}", with: ""))
      #expect(run.standardError.hasPrefix("[1/1] ok race/correct"))
    }

    /// The whole story in the output: both call sites, the lock, the birth of the NaN, the thread that died, and before.
    @Test(.enabled(if: try isGuarded(), "this build has no ThreadGuard"))
    func faultyVariantIsExplained() throws {
      let folder = try TemporaryFolder()
      let run = try Self.stress(["--workload", "watcher", "--variant", "half-locked", "--duration", "2"], into: folder)
      let text = run.standardOutput
      try #require(run.end == .exited(0), Comment(rawValue: text))
      for part in [
        "Story.watch()", "Story.fetchInBackground()", "it holds mutex \"watcher.cpu\"",
        "a NaN was made: 0.0 / 0.0", "return busy / all", "died here:", "now.share(since: previous!)",
        "lifecycle: DidEnterBackground", "memory warning: the program releases its samples", "last cpu.load: ",
      ] { #expect(text.contains(part), "\(part) is not in \(text)") }
      let runs = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
      let reports = "\(folder.url.path)/\(try #require(runs.first))/watcher-half-locked/reports"
      let kinds = try FileManager.default.contentsOfDirectory(atPath: reports)
      for kind in ["dataRace", "nan", "crashReport"] { #expect(kinds.contains { $0.hasSuffix("-\(kind).json") }) }
    }

    @Test(.enabled(if: try isGuarded(), "this build has no ThreadGuard"))
    func sourceLinesAreShownUnlessSwitchedOff() throws {
      for (options, shows) in [([], true), (["--no-source"], false)] {
        let run = try Self.stress(
          ["--workload", "deadlock", "--variant", "self"] + options, into: try TemporaryFolder())
        #expect(run.end == .exited(0), Comment(rawValue: run.standardOutput))
        #expect(run.standardOutput.contains(".swift:"))
        #expect(run.standardOutput.contains("lock.lock()") == shows, Comment(rawValue: run.standardOutput))
      }
    }

    @Test(.enabled(if: try isGuarded(), "this build has no ThreadGuard"))
    func aHangingVariantIsEndedAfterItsReport() throws {
      let run = try Self.stress(
        ["--workload", "deadlock", "--variant", "self", "--format", "json"], into: try TemporaryFolder())
      #expect(run.end == .exited(0), Comment(rawValue: run.standardOutput))
      #expect(
        run.standardOutput.contains(
          "\"end\" : \"was ended by the stress run after all planted mistakes were reported\""))
    }

    @Test(arguments: [
      ["--workload", "wacher"], ["--variant", "fulty"], ["--duration", "0"], ["--duration", "1e9"], ["--threads", "0"],
      ["--format", "yaml"], ["--seed", "-1"], ["--jobs", "0"], ["--source", "/no/such/folder"], ["--source", "=."],
    ])
    func impossibleSettingsAreRefused(_ arguments: [String]) throws {
      let run = try Self.stress(arguments, into: try TemporaryFolder())
      #expect(run.end == .exited(64))
      #expect(!run.standardError.isEmpty && run.standardOutput.isEmpty)
    }

    @Test func anUnknownWorkloadListsTheWorkloads() throws {
      let run = try Self.stress(["--workload", "wacher"], into: try TemporaryFolder())
      #expect(run.standardError.hasPrefix("diagdemo: there is no workload 'wacher'; the workloads are watcher, "))
    }

    @Test(.enabled(if: try isGuarded(), "this build has no ThreadGuard"))
    func aFolderThatCannotBeMadeIsNamed() throws {
      let run = try ProgramRun.run([Products.diagdemo, "stress", "--output", "/proc/none", "--variant", "correct"])
      #expect(run.end == .exited(74))
      #expect(run.standardError.hasPrefix("diagdemo: cannot make /proc/none: "))
    }

    @Test func listNamesWorkloadsAndVariants() throws {
      let run = try ProgramRun.run([Products.diagdemo, "stress", "--list"])
      #expect(run.end == .exited(0))
      #expect(run.standardOutput.contains("\n  half-locked "))
    }

    /// Ended early, it ends its children and says what it has.
    @Test(.enabled(if: try isGuarded(), "this build has no ThreadGuard"))
    func interruptionEndsTheChildren() throws {
      let folder = try TemporaryFolder()
      // The shell waits until the first variant has ended, and the second, which would work for a minute, follows.
      let script = """
        mkfifo "$1/said" && exec 3<>"$1/said"
        "$0" stress --output "$1" --workload inversion race --variant correct --duration 60 --jobs 1 2>"$1/said" &
        read -r line <&3
        # A shell without job control has SIGINT ignored in the background.
        kill -TERM $!
        wait $!
        status=$?
        pgrep -f "folder $1" && exit 99
        exit $status
        """
      let run = try ProgramRun.run(["/bin/bash", "-c", script, Products.diagdemo, folder.url.path], seconds: 50)
      #expect(run.end == .exited(143), Comment(rawValue: run.standardOutput + run.standardError))
      #expect(run.standardOutput.contains("interrupted: 1 of 2 variants passed"))
    }
  }
}
