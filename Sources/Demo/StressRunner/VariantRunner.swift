import Foundation
import LinuxCalls
import ProgramRunner
import Workloads

/// Runs one variant in its own process, to its end or until it is ended.
struct VariantRunner {
  /// Seconds beyond the duration in which a variant must have come to its end: machines of CI systems may be slow.
  static let grace = 30.0

  let settings: StressSettings
  let folder: RunFolder
  let interruption: Interruption
  let evidence: EvidenceReader

  func run(_ stressCase: StressCase) -> VariantRecord {
    var record = VariantRecord(stressCase: stressCase)
    do throws(StressFailure) {
      let own = try folder.variantFolder(stressCase)
      record.folder = own
      try run(stressCase, in: own, into: &record)
    } catch {
      record.end = .notStarted(error.what)
    }
    return record
  }

  private func run(
    _ stressCase: StressCase, in own: VariantFolder, into record: inout VariantRecord
  ) throws(StressFailure) {
    let watch = try FolderWatch(own.reports)
    let start = monotonicNanoseconds()
    let process = try VariantProcess(arguments(stressCase, own), environment: environment(own), folder: own)
    let endsWhenFound = stressCase.variant.ending == .hangs || settings.endsWhenFound && !stressCase.variant.isCorrect
    let (reason, peak) = wait(for: process, watch) {
      guard endsWhenFound else { return false }
      record.reports = evidence.read(own)
      return Judgement.findsAll(stressCase.variant.planted, in: record.reports)
    }
    let (end, footprint) = process.reap(peakBefore: peak)
    record.seconds = Double(monotonicNanoseconds() - start) / 1e9
    record.end =
      switch reason {
      case .ended: end == .exited(0) ? .finished : VariantEnd(end)
      case .found: .endedOnceFound
      case .outOfTime: .outOfTime
      case .interrupted: .interrupted
      }
    record.reports = evidence.read(own)
    record.footprint = footprint
    if case .killed = end, reason == .ended, let peak = record.reports.lazy.compactMap(\.report.memory?.peak).max() {
      record.footprint?.peakBytes = peak
    }
  }

  private enum Reason { case ended, found, outOfTime, interrupted }

  /// Waits for the end, for what is looked for, for the time limit or the wish to end early; unless the process has
  /// ended by itself it is killed, and its peak memory until then returned.
  private func wait(for process: VariantProcess, _ watch: FolderWatch, _ isFound: () -> Bool) -> (Reason, Int?) {
    let limit = monotonicNanoseconds() + UInt64((settings.duration + Self.grace) * 1e9)
    var files = [process.ended, watch.descriptor, interruption.descriptor].map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    // If the kernel has no descriptor of a process, the end of its pipe shows that it ended.
    if process.ended < 0 { files[0] = pollfd(fd: process.status, events: 0, revents: 0) }
    var reason: Reason?
    while reason == nil {
      let now = monotonicNanoseconds()
      guard now < limit else {
        reason = .outOfTime
        break
      }
      for index in files.indices { files[index].revents = 0 }
      guard poll(&files, nfds_t(files.count), Int32((limit - now) / 1_000_000) + 1) > 0 else { continue }
      if files[2].revents != 0 { reason = .interrupted }
      if files[1].revents != 0 {
        watch.clear()
        if isFound() { reason = .found }
      }
      if files[0].revents != 0 { return (.ended, nil) }
    }
    let peak = process.peakBytes
    process.kill()
    return (reason ?? .ended, peak)
  }

  private func arguments(_ stressCase: StressCase, _ own: VariantFolder) -> [String] {
    [
      "diagdemo", "workload", stressCase.workload, stressCase.variant.name, "--seed", "\(settings.seed)", "--threads",
      "\(settings.threads)", "--duration", "\(settings.duration)", "--folder", own.files, "--started",
    ]
  }

  /// The environment, with reports sent to the variant's folder and every finding reported.
  private func environment(_ own: VariantFolder) -> ProcessVariables {
    var variables = ProcessVariables.own
    variables["CRASHKIT_DIRECTORY"] = own.reports
    // Of several pairs with one key the last one counts.
    let given = variables["THREADGUARD_OPTIONS"].flatMap { $0.isEmpty ? nil : $0 + "," } ?? ""
    variables["THREADGUARD_OPTIONS"] = given + "mode=report,summary=no,exit-status=0"
    variables["CRASHKIT_OPTIONS"] = nil
    variables["SWIFT_BACKTRACE"] = "enable=no"
    return variables
  }
}
