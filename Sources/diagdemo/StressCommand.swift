import ArgumentParser
import CommandEntry
import CrashReportView
import Foundation
import LinuxCalls
import StressRunner
import Synchronization
import Workloads

/// `diagdemo stress`: workloads under stress, and whether the tools see what is wrong with them.
struct StressCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stress",
    abstract: "Run workloads under stress, and check whether the tools find the workloads' mistakes.",
    discussion: """
      Each variant runs in its own process. A correct variant passes if there is no report, all metrics are finite and \
      it ends with status 0. A faulty variant passes if each planted mistake is reported with the right source lines, \
      and it ends as planned.

      Environment: THREADGUARD_OPTIONS applies to the variants, except mode, summary and exit-status. Without \
      --output, reports go below TMPDIR. NO_COLOR and TERM work as usual.

      Exit status: 0 all variants passed; 1 a variant failed; 64 usage; 69 this build has no ThreadGuard; 74 a folder \
      or file cannot be written; 128 and the signal's number after SIGINT or SIGTERM, with the result so far.
      """)

  @Option(
    name: .customLong("workload"), parsing: .upToNextOption,
    help: ArgumentHelp("Workloads to run; by default all.", valueName: "name"))
  var workloads: [String] = []

  @Option(help: "correct, faulty, all, or a variant's name.")
  var variant = "all"

  @Option(help: "The number that decides every schedule; by default, the command chooses one and prints it.")
  var seed: UInt64?

  @Option(help: "Seconds for which a repeating variant works: 0.1 to 3600.")
  var duration = 2.0

  @Option(help: "Threads, queues or tasks of a variant that work at once: 1 to 256.")
  var threads = 4

  @Option(help: "Variants that run at once; by default one for each processor, at most 8.")
  var jobs: Int?

  @Option(help: "What to print: \(Renderer<StressResult>.allValueStrings.joined(separator: ", ")).")
  var format = Renderer<StressResult>.standard

  @Option(
    help: ArgumentHelp(
      "Keep the reports of each run in a new folder below this folder; by default below the folder for temporary files.",
      valueName: "folder"))
  var output: String?

  @Flag(help: "End a faulty variant as soon as all its mistakes are found.")
  var untilFound = false

  @Option(
    name: .customLong("source"),
    help: ArgumentHelp(
      "Also show source lines of files in this folder. FROM=TO says that sources built in FROM are now in TO. May be repeated.",
      valueName: "dir|from=to"))
  var sourceFolders: [String] = []

  @Flag(name: .customLong("no-source"), help: "Show no source lines.")
  var showsNoSource = false

  @Flag(help: "List the workloads with their variants, and end.")
  var list = false

  func validate() throws {
    guard output != "" else { throw ValidationError("--output takes the name of a folder.") }
  }

  func run() throws {
    fillStandardDescriptors()
    let interruption = Interruption()
    try saying { () throws(StressFailure) in
      if list { return try show(listing) }
      let settings = StressSettings(
        workloads: workloads, variants: .init(variant), seed: seed ?? .random(in: 0...0xFFFF_FFFF), duration: duration,
        threads: threads, jobs: jobs ?? min(8, max(1, ProcessInfo.processInfo.activeProcessorCount)),
        endsWhenFound: untilFound)
      let cases = try settings.cases()
      let sources = try sources()
      try StressRun.checkMeans()
      interruption.listen()
      let folder = try RunFolder(below: output)
      let run = StressRun(settings, cases: cases, folder: folder, interruption: interruption)
      let passed = try carryOut(run, folder, interruption, sources)
      if let signal = interruption.signal { Foundation.exit(128 + signal) }
      if !passed { Foundation.exit(1) }
    }
  }

  private func carryOut(
    _ run: StressRun, _ folder: RunFolder, _ interruption: Interruption, _ sources: SourceFolders
  ) throws(StressFailure) -> Bool {
    let settings = run.settings
    let options = TextReport.Options(
      usesColor: Screen.isColored(STDOUT_FILENO), sources: sources, showsSource: !showsNoSource)
    let display = ProgressDisplay(total: run.cases.count, isRedrawn: Screen.isRedrawn(STDERR_FILENO))
    if format.isForPeople { try show("seed \(settings.seed): \(settings.command)\n\n") }
    let outcomes = run.run(began: display.began, ended: display.ended)
    display.clear()
    let result = try StressResult(run, outcomes, folder: folder, interrupted: interruption.signal != nil)
    // If the file cannot be written, the result is still worth reading.
    var failure: StressFailure?
    do throws(StressFailure) { try folder.write(result.json, to: "summary.json") } catch { failure = error }
    if let text = format.text(of: result, options) { try show(text) }
    if let failure { throw failure }
    return result.passed
  }

  private func sources() throws(StressFailure) -> SourceFolders {
    do throws(SourceRule.Mistake) {
      return try SourceFolders(
        workingDirectory: .working(), arguments: sourceFolders)
    } catch {
      throw StressFailure(what: error.text, status: 64)
    }
  }

  private func show(_ text: String) throws(StressFailure) {
    guard writeWhole(text, to: STDOUT_FILENO) else {
      throw StressFailure(what: "cannot write to standard output", status: 74)
    }
  }

  private var listing: String {
    var text = ""
    for workload in Catalogue.workloads {
      text += "\(workload.name): \(workload.summary)\n"
      let width = workload.variants.map { $0.name.count }.max() ?? 0
      for variant in workload.variants {
        let blanks = String(repeating: " ", count: width - variant.name.count + 2)
        text += "  \(variant.name)\(blanks)\(variant.summary)\n"
      }
    }
    return text
  }
}
