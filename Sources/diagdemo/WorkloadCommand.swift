import ArgumentParser
import StressRunner

/// `diagdemo workload NAME VARIANT`: one variant in this process. It is what `stress` starts.
struct WorkloadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "workload", abstract: "Run one variant of a workload in this process.", shouldDisplay: false)

  @Argument(help: "The workload's name.") var workload: String
  @Argument(help: "The variant's name.") var variant: String
  @Option(help: "Decides the schedule.") var seed: UInt64
  @Option(help: "Threads, queues or tasks that work at once.") var threads = 4
  @Option(help: "Seconds for which a repeating workload works.") var duration = 2.0
  @Option(help: "A folder for what the workload writes.") var folder = "."
  @Flag(help: "Report to `stress` on descriptor 3, and end together with it.") var started = false

  func validate() throws {
    guard !folder.isEmpty else { throw ValidationError("--folder takes the name of a folder.") }
  }

  func run() throws {
    try saying { () throws(StressFailure) in
      try VariantHost.run(
        workload, variant, seed: seed, threads: threads, seconds: duration, folder: folder, isStarted: started)
    }
  }
}

/// Runs `body`; a failure gets its one line on stderr and its status.
func saying(_ body: () throws(StressFailure) -> Void) throws {
  do throws(StressFailure) {
    try body()
  } catch {
    printToStandardError("diagdemo: \(error.line)\n")
    throw ExitCode(error.status)
  }
}
