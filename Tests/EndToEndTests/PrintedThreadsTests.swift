import Foundation
import Testing

extension EndToEnd {
  /// What a program prints when SIGQUIT asks, read by crashsym out of its log.
  @Suite struct PrintedThreadsTests {
    private static let options = ["CRASHKIT_OPTIONS": "on-signal=QUIT"]

    /// Asks the program once and ends it; the log is a file, with other lines between.
    private func log(of asked: AskedProgram) throws -> String {
      kill(try #require(Int32(asked.pid)), SIGQUIT)
      var lines: [String] = []
      while let line = asked.running.errorLine() {
        lines += ["2026-11-23T17:00:00Z api[1]: \(line)", "another line"]
        if line.contains("]: read it with: ") { break }
      }
      let (output, errors) = asked.running.finish()
      #expect(output.last == "goes on", "\(errors)")
      let path = asked.folder.url.appending(path: "log").path
      try lines.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
      return path
    }

    private struct Printed: Decodable {
      struct Thread: Decodable {
        var id: Int
        var name: String?
        var state: String?
        var frames: [ProducedReport.Frame]?
      }
      struct Process: Decodable { var name: String }
      var kind: String
      var description: String
      var process: Process
      var threads: [Thread]
      var tasks: [ProducedReport.LiveTask]
    }

    /// The log says what the report of the same moment says.
    @Test(arguments: ["-O", "-O -static-stdlib"]) func theLogHasEveryThreadAndTask(_ build: String) throws {
      let flags = build.split(separator: " ").map(String.init)
      let asked = try AskedProgram("live_tasks.swift", ["stay"], options: flags, environment: Self.options)
      let path = try log(of: asked)
      let run = try ProgramRun.run([Products.crashsym, "--format", "json", path])
      try #require(run.end == .exited(0), "\(run.standardError)")
      let printed = try JSONDecoder().decode(Printed.self, from: Data(run.standardOutput.utf8))
      #expect(printed.kind == "capture" && printed.description == "asked for by SIGQUIT")
      #expect(printed.process.name == "live_tasks")

      let report = try #require(try asked.reports().first)
      let file = asked.folder.url.appending(path: "reports/\(report)").path
      try expectValid(file)
      let shown = try ProgramRun.run([Products.crashsym, "--format", "json", file])
      let whole = try JSONDecoder().decode(Printed.self, from: Data(shown.standardOutput.utf8))
      #expect(whole.description.hasPrefix("asked for by SIGQUIT of process "))
      #expect(printed.threads.map(\.id) == whole.threads.map(\.id))
      #expect(printed.threads.map(\.name) == whole.threads.map(\.name))
      #expect(printed.threads.map(\.state) == whole.threads.map(\.state))
      let stacks = (printed.threads.map { described($0.frames) }, whole.threads.map { described($0.frames) })
      #expect(stacks.0 == stacks.1)
      #expect(printed.tasks.map(described) == whole.tasks.map(described))
      #expect(printed.tasks.count == 16)
    }

    private func described(_ frames: [ProducedReport.Frame]?) -> [String] {
      (frames ?? []).filter { $0.kind != "truncated" }
        .map { "\($0.kind) \($0.description ?? "?") \($0.sourceLocation?.line ?? 0)" }
    }

    private func described(_ task: ProducedReport.LiveTask) -> String {
      "\(task.id) \(task.name ?? "") \(task.parent ?? 0) \(task.state) \(task.thread ?? 0) \(task.isCancelled == true) "
        + "\(task.awaits?.kind ?? "") \(task.awaits?.id ?? 0) \(task.framesOf ?? 0) \(described(task.frames))"
    }

    /// A crash afterwards is not taken for the same event.
    @Test func aCrashAfterwardsIsARowOfItsOwn() throws {
      let asked = try AskedProgram("live_tasks.swift", ["stay"], environment: Self.options)
      let path = try log(of: asked)
      let died = """

        CrashKit[\(asked.pid)]: live_tasks died: null pointer dereference (SIGSEGV, SEGV_MAPERR at 0x0000000000000008)
        CrashKit[\(asked.pid)]: thread \(asked.pid) "live_tasks", 3 threads in all
        CrashKit[\(asked.pid)]:   0 live_tasks+0x10
        """
      let text = try String(contentsOfFile: path, encoding: .utf8) + died
      let run = try ProgramRun.run([Products.crashsym, "-"], input: text)
      #expect(run.end == .exited(0), "\(run.standardError)")
      #expect(run.standardOutput.contains("16 Swift tasks: 1 running"))
      #expect(run.standardOutput.contains("null pointer dereference"))
    }
  }
}
