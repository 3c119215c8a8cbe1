import CLinuxCalls
import CrashKit
import Dispatch
import Glibc
import LinuxCalls
import ThreadGuard
import Workloads

/// The code inside a variant's process. ``VariantProcess`` starts and reads that process.
public enum VariantHost {
  /// Where the process says `begun NANOSECONDS` (of `CLOCK_MONOTONIC`) and `peak BYTES`.
  static let statusDescriptor: Int32 = 3
  /// What the report of a run to its end says of itself.
  static let lastWords = "the workload is over"
  /// The exit status of a workload that threw.
  static let thrownStatus: Int32 = 70

  /// Runs a variant on other threads, while this thread runs the main queue. The process exits when the variant is
  /// done.
  ///
  /// - Parameters:
  ///   - seconds: How long a repeating workload may work.
  ///   - isStarted: Whether a stress run started this process. If so, this process ends when the stress run ends.
  /// - Throws: `StressFailure` with status 64 if there is no such variant.
  public static func run(
    _ workload: String, _ variant: String, seed: UInt64, threads: Int, seconds: Double, folder: String, isStarted: Bool
  ) throws(StressFailure) -> Never {
    let settings = StressSettings(
      workloads: [workload], variants: .named(variant), seed: seed, duration: seconds, threads: threads)
    guard let stressCase = try settings.cases().first, let type = Catalogue.named(workload) else {
      throw .usage("there is no workload '\(workload)'")
    }
    if isStarted { linux_die_with_starter() }
    // A death on purpose is not worth a core file.
    var limit = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    // If the processor has no such trap, workloads have their own checks.
    try? ThreadGuard.NaNTrap.enable()
    do {
      try CrashKit.install(.init(application: .init(name: "diagdemo \(workload)", version: variant)))
    } catch {
      throw .unavailable("\(error)")
    }
    let folder = foundationPath(of: folder)
    CrashKit.setAttribute("workload", stressCase.name)
    CrashKit.setAttribute("seed", "\(seed)")
    Task.detached {
      if isStarted { say("begun \(monotonicNanoseconds())") }
      let context = WorkloadContext(
        seed: seed, threads: threads, deadline: .now + .seconds(seconds), folder: folder)
      do {
        try await type.init().run(stressCase.variant, in: context)
        // With it come the last values of the metrics, which are looked at.
        try CrashKit.capture(lastWords)
      } catch {
        _ = writeWhole("diagdemo: \(stressCase.name): \(error)\n", to: STDERR_FILENO)
        exit(thrownStatus)
      }
      if isStarted, let peak = VariantProcess.peakBytes(of: "self") { say("peak \(peak)") }
      exit(0)
    }
    dispatchMain()
  }

  /// Workloads open files by Foundation, which knows paths in UTF-8 only.
  private static func foundationPath(of folder: String) -> String {
    guard folder.withoutForeignBytes != folder, folder.withSystemText({ chdir($0) }) == 0 else { return folder }
    return "."
  }

  private static func say(_ line: String) { _ = writeWhole(line + "\n", to: statusDescriptor) }
}
