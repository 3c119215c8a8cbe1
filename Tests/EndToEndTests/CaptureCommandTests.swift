import Foundation
import Testing

extension EndToEnd {
  /// `crashsym capture PID` and `crashsym tasks PID`: programs that are asked, and go on as if they were not.
  @Suite struct CaptureCommandTests {
    /// Its signals are blocked, it allocates and forks all the time, and nothing of that is disturbed.
    @Test func aProgramGoesOnAfterItsReport() throws {
      let asked = try AskedProgram("asked.c")
      for count in TestSet.times(20, quick: 8) {
        let run = try ProgramRun.run([Products.crashsym, "capture", asked.pid])
        try #require(run.end == .exited(0), "\(run.standardError)")
        for function in ["wait_for_input", "allocate", "sleep_often", "fork_often"] {
          #expect(run.standardOutput.contains(function), "\(run.standardOutput)")
        }
        #expect(try asked.reports().count == count)
      }
      let (output, errors) = asked.running.finish()
      #expect(output == ["broken off: 0, handled: 0, failed: 0"], "\(errors)")
    }

    /// The call of one thread takes signals, or a signal would cut it short: another thread is asked.
    @Test(
      arguments: [
        ("sigwait", "0 strays, 0 bytes"), ("signalfd", "0 strays, 0 bytes"), ("write", "0 strays, 1048576 bytes"),
        ("receive", "0 strays, 2000 bytes"),
      ])
    func aCallThatASignalWouldInterruptIsNotInterrupted(_ row: (kind: String, output: String)) throws {
      let asked = try AskedProgram("asked_in_calls.c", [row.kind])
      for _ in TestSet.times(5, quick: 3) {
        let run = try ProgramRun.run([Products.crashsym, "capture", asked.pid])
        try #require(run.end == .exited(0), "\(run.standardError)")
        #expect(run.standardOutput.contains("wait_for_input"), "\(run.standardOutput)")
      }
      let (output, errors) = asked.running.finish()
      #expect(output == [row.output], "\(errors)")
    }

    /// A request that came as one program ends and the next one begins would kill that.
    @Test func aProgramThatBecomesAnotherOneIsNotHarmed() throws {
      let asked = try AskedProgram("asked_in_calls.c", ["exec"])
      for _ in 1...4 {
        let run = try ProgramRun.run([Products.crashsym, "capture", asked.pid])
        #expect([.exited(65), .exited(66), .exited(74)].contains(run.end), "\(run.standardError)")
      }
      let (output, errors) = asked.running.finish()
      #expect(output == ["went on"], "\(errors)")
    }

    @Test func tasksAreListed() throws {
      let asked = try AskedProgram("live_tasks.swift", ["stay"])
      let run = try ProgramRun.run([Products.crashsym, "tasks", asked.pid])
      #expect(run.end == .exited(0), "\(run.standardError)")
      #expect(
        run.standardOutput.hasPrefix("\n16 Swift tasks: 1 running, 1 enqueued, 14 suspended\n"), "\(run.standardOutput)"
      )
      #expect(run.standardOutput.contains("3 tasks wait for a continuation in hold()"))
      // Nobody asked for the report.
      #expect(try asked.reports().isEmpty)
      #expect(asked.running.finish().output == ["goes on"])
    }

    private struct Tasks: Decodable {
      struct Process: Decodable { var pid: Int }
      struct Search: Decodable { var none: String? }
      struct Capture: Decodable { var tasks: Search }
      var schema: String
      var timestamp: String
      var process: Process
      var tasks: [ProducedReport.LiveTask]?
      var omittedTasks: Int?
      var capture: Capture
      var threads: [String]?
      var images: [String]?
    }

    @Test func tasksAreListedAsJSON() throws {
      let asked = try AskedProgram("live_tasks.swift", ["stay"])
      let run = try ProgramRun.run([Products.crashsym, "tasks", asked.pid, "--format", "json"])
      #expect(run.end == .exited(0), "\(run.standardError)")
      #expect(run.standardOutput.split(separator: "\n").count == 1)
      let found = try JSONDecoder().decode(Tasks.self, from: Data(run.standardOutput.utf8))
      #expect(found.schema == "crashkit/1" && String(found.process.pid) == asked.pid)
      #expect(found.tasks?.count == 16 && found.omittedTasks == 0 && found.threads == nil && found.images == nil)
      let profile = try #require(found.tasks?.first { $0.name == "profile 1" })
      #expect(profile.awaits?.kind == "continuation")
      #expect(profile.frames?.contains { $0.description?.contains("fetchProfile()") == true } == true)
      // It is a report for those who read reports.
      let shown = try ProgramRun.run([Products.crashsym, "-"], input: run.standardOutput)
      #expect(shown.end == .exited(0) && shown.standardOutput.contains("\n16 Swift tasks: "), "\(shown.standardError)")
      asked.running.finish()
    }

    @Test func eachLookIsALineOfJSON() throws {
      let asked = try AskedProgram("live_tasks.swift", ["stay"])
      let looking = try RunningProgram(
        [Products.crashsym, "tasks", asked.pid, "--format", "json", "--watch", "0.1"], environment: [:])
      let looks = try (1...3).map { _ in
        try JSONDecoder().decode(Tasks.self, from: Data(try #require(looking.line()).utf8))
      }
      #expect(looks.allSatisfy { $0.tasks?.count == 16 })
      #expect(Set(looks.map(\.timestamp)).count == 3)
      looking.kill()
      asked.running.finish()
    }

    @Test func aProgramWithoutSwiftHasNoTasksInJSON() throws {
      let asked = try AskedProgram("asked.c")
      let run = try ProgramRun.run([Products.crashsym, "tasks", asked.pid, "--format", "json"])
      let found = try JSONDecoder().decode(Tasks.self, from: Data(run.standardOutput.utf8))
      #expect(run.end == .exited(0) && found.tasks == nil && found.capture.tasks.none?.isEmpty == false)
      asked.running.finish()
    }

    @Test func aProgramWithoutSwiftHasNoTasks() throws {
      let asked = try AskedProgram("asked.c")
      let run = try ProgramRun.run([Products.crashsym, "tasks", asked.pid])
      #expect(run.end == .exited(0) && run.standardOutput.hasPrefix("no Swift tasks: "), "\(run.standardOutput)")
    }

    @Test func aStoppedProgramCannotAnswer() throws {
      let asked = try AskedProgram("asked.c")
      let process = try #require(pid_t(asked.pid))
      kill(process, SIGSTOP)
      let run = try ProgramRun.run([Products.crashsym, "capture", asked.pid])
      kill(process, SIGCONT)
      let reason = "did not answer in 10 s: it is stopped (--stop shows its current state)"
      #expect(run.end == .exited(74) && run.standardError == "crashsym: \(reason): process \(asked.pid)\n")
      asked.running.finish()
    }

    @Test func aProgramThatCannotAnswerIsNotHarmed() throws {
      let sleeper = try RunningProgram(["/bin/sleep", "1000"], environment: [:])
      let run = try ProgramRun.run([Products.crashsym, "capture", String(sleeper.pid)])
      #expect(run.end == .exited(65))
      let what = "does not use CrashKit, or has no folder for reports (--stop works without both)"
      #expect(run.standardError == "crashsym: \(what): process \(sleeper.pid)\n")
      #expect(kill(sleeper.pid, 0) == 0)
      sleeper.kill()
      for name in ["capture", "tasks"] {
        let gone = try ProgramRun.run([Products.crashsym, name, String(sleeper.pid)])
        #expect(gone.end == .exited(66))
        #expect(gone.standardError == "crashsym: no such process: process \(sleeper.pid)\n")
      }
    }

    @Test(arguments: ["0", "-1", "x", "99999999999"]) func badNumbers(_ number: String) throws {
      let run = try ProgramRun.run([Products.crashsym, "capture", number])
      #expect(run.end == .exited(64) || run.end == .exited(66), "\(run.standardError)")
    }
  }
}
