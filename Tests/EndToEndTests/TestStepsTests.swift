import Foundation
import Testing

extension EndToEnd {
  /// Scripts/lib/steps.sh: what Scripts/test says of steps that pass, fail and have nothing to try.
  @Suite struct TestStepsTests {
    private let folder: TemporaryFolder

    init() throws {
      folder = try TemporaryFolder()
      let library = folder.url.appending(path: "Scripts/lib")
      try FileManager.default.createDirectory(at: library, withIntermediateDirectories: true)
      for name in ["common.sh", "steps.sh"] {
        try FileManager.default.copyItem(
          at: Products.root.appending(path: "Scripts/lib/\(name)"), to: library.appending(path: name))
      }
      _ = try bash("git init -q . && printf '.build\\nran\\nout\\n' >.gitignore && git add . && \(Self.commit)")
    }

    private static let commit = "git -c user.name=a -c user.email=a@b -c commit.gpgsign=false commit -qm change"

    private func bash(_ script: String) throws -> ProgramRun {
      try ProgramRun.run(["/bin/bash", "-c", "cd \"$0\" && \(script)", folder.url.path])
    }

    private func steps(_ script: String) throws -> ProgramRun {
      try bash(
        ". Scripts/lib/common.sh && . Scripts/lib/steps.sh && commit_tested=$(commit_of_tree) && \(script); report_steps"
      )
    }

    private func lastLine(_ run: ProgramRun) -> String {
      run.standardOutput.split(separator: "\n").last.map(String.init) ?? ""
    }

    @Test func aStepWithoutTestsDoesNotPass() throws {
      let run = try steps("step good true; step none bash -c 'echo SKIPPED: no server; exit 75'")
      #expect(run.end == .exited(0), "\(run.standardOutput)")
      #expect(lastLine(run) == "1 passed, 0 failed, 1 skipped; in these, 1 tests and checks were skipped")
      #expect(run.standardOutput.contains("\n  none: no server\n"))
    }

    @Test func skipsInsideAStepAreCountedAndNamed() throws {
      let said = """
        echo 'skipped Rust: there is no rustc'; echo 'ok      skipped nothing'; \
        echo '➜ Test "realServer()" skipped: "there is none"'
        """
      let run = try steps("said() { \(said); }; step checks said")
      #expect(lastLine(run) == "1 passed, 0 failed, 0 skipped; in these, 2 tests and checks were skipped")
      #expect(run.standardOutput.contains("\n  checks: Rust: there is no rustc\n"))
      #expect(run.standardOutput.contains("\n  checks: \"realServer()\": \"there is none\"\n"))
    }

    @Test func failuresAndRunsOfNothingFail() throws {
      let run = try steps("step bad bash -c 'echo why; exit 3'")
      #expect(run.end == .exited(1))
      #expect(run.standardOutput.contains("=== the end of bad\nwhy\n"))
      #expect(lastLine(run).hasPrefix("0 passed, 1 failed, 0 skipped"))
      #expect(try steps("true").end == .exited(1))
      #expect(try steps("only=nosuch; step good true").end == .exited(1))
      #expect(try steps("only=good; step bad false; step good true").end == .exited(0))
    }

    /// What passed at the same commit is not run again; what failed is, and all of it once something has changed.
    @Test func anInterruptedRunIsResumed() throws {
      let script = "step one bash -c 'echo 1 >>ran'; step two bash -c 'echo 2 >>ran; test -f .build/fixed'"
      func ran() throws -> String {
        defer { try? FileManager.default.removeItem(at: folder.url.appending(path: "ran")) }
        return (try? String(contentsOf: folder.url.appending(path: "ran"), encoding: .utf8)) ?? ""
      }
      #expect(try steps(script).end == .exited(1))
      #expect(try ran() == "1\n2\n")
      _ = try bash("touch .build/fixed")
      let again = try steps("continues=yes; \(script)")
      #expect(again.end == .exited(0))
      #expect(lastLine(again).hasPrefix("2 passed, 0 failed"))
      #expect(try ran() == "2\n")
      #expect(try steps("continues=yes; \(script)").end == .exited(0))
      #expect(try ran() == "")
      // Without --continue, for another tier, after a change and after a commit, all of it runs.
      for change in ["true", "tier=full", "echo >>Scripts/lib/common.sh", "git add . && \(Self.commit)"] {
        let prefix = change == "true" ? "" : "\(change); commit_tested=$(commit_of_tree); continues=yes; "
        #expect(try steps(prefix + script).end == .exited(0), "\(change)")
        #expect(try ran() == "1\n2\n", "\(change)")
      }
    }
  }
}
