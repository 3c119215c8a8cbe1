import CCrashCapture
import CrashReportModel
import Glibc

/// How a process ended, as its parent saw it.
public enum KnownEnd: Sendable, Hashable {
  /// It exited with this status.
  case exited(Int32)
  /// A signal killed it. For SIGKILL, the verdict also considers `peakMemory`: the peak memory of the process, or of a
  /// child for which the process waited.
  case killed(signal: Int32, peakMemory: UInt64? = nil)
}

/// The verdict from the traces of a process, in the words of its report.
struct Verdict {
  var classification: CrashReport.Ending.Classification
  var code: CrashReport.CauseCode
  /// The code's sentence.
  var cause: String
  var evidence: [String]
  /// The signal that it died of, if the process left word of one.
  var signal: Int32?

  /// Weighs the traces.
  ///
  /// - Parameter exitsAreSeen: A parent waits for the process and sees its exit status.
  init(_ contents: RegionContents, known: KnownEnd?, exitsAreSeen: Bool = false, surroundings: Surroundings) {
    self =
      Weighing(contents: contents, known: known, exitsAreSeen: exitsAreSeen, surroundings: surroundings).verdict
  }

  fileprivate init(
    _ classification: CrashReport.Ending.Classification, _ code: CrashReport.CauseCode,
    _ details: [any CustomStringConvertible] = [], then rest: String = "", _ evidence: [String] = [],
    signal: Int32? = nil
  ) {
    self.classification = classification
    self.code = code
    cause = code.sentence(details) + rest
    self.evidence = evidence
    self.signal = signal
  }
}

private struct Weighing {
  /// A last value of at least this share of the limit speaks for the limit.
  private static let nearTheLimit = 0.8
  /// A kill in the group is taken for a process's own if its peak was this share of the limit.
  private static let largePart = 0.5

  let contents: RegionContents
  let known: KnownEnd?
  let exitsAreSeen: Bool
  let surroundings: Surroundings

  private var header: ck_region_view { contents.header }
  private var traces: ck_evidence { contents.header.evidence }

  var verdict: Verdict {
    var verdict = ownWords ?? rebooted ?? ranOutOfMemory ?? ownHandler ?? handledSignal ?? hung ?? killed
    verdict.evidence = signsOfLife + verdict.evidence + memoryFacts
    return verdict
  }

  // MARK: - In the order in which they count

  /// What the process itself recorded.
  private var ownWords: Verdict? {
    switch header.ending {
    case CK_ENDING_CLEAN, CK_ENDING_REPORTED: return Verdict(.clean, .cleanEnd)
    case CK_ENDING_CRASHING:
      let signal = name(of: Int32(clamping: traces.crash_signal))
      return Verdict(
        .crash, .unfinishedReport, [signal],
        ["CrashKit's handler of \(signal) began a report, but did not finish it"])
    case CK_ENDING_PRINTED:
      let signal = name(of: Int32(clamping: traces.crash_signal))
      return Verdict(
        .crash, .printedReport, [signal],
        ["the handler of \(signal) could not make a file, and wrote the report to standard error"])
    case CK_ENDING_EXITED where exitsAreSeen:
      return Verdict(.clean, .cleanExit)
    case CK_ENDING_EXITED:
      let status = traces.exit_status & 0xFF
      return Verdict(
        .unexplained, .exitCall, [status],
        ["_exit, _Exit or quick_exit was called with status \(status)"])
    default:
      guard case .exited(let status) = known else { return nil }
      return ownHandler ?? Verdict(.clean, .cleanStatus, [status])
    }
  }

  private var rebooted: Verdict? {
    let bootID = String(decoding: bytes(of: header.boot_id, header.boot_id_length), as: UTF8.self)
    guard known == nil, !bootID.isEmpty, !surroundings.bootID.isEmpty, bootID != surroundings.bootID else { return nil }
    return Verdict(
      .unexplained, .machineDown, [],
      ["the machine was restarted in the meantime", "it is not known whether the process ended before the restart"])
  }

  /// A kill in the control group, or on the machine, may have been of another process. The process's own memory must
  /// speak for it as well.
  private var ranOutOfMemory: Verdict? {
    guard couldBeMemoryKill, let share = shareOfLimit ?? peakShare else { return nil }
    let isKnown = peakShare.map { $0 >= Self.largePart } ?? false
    guard isKnown || share >= Self.nearTheLimit else { return nil }
    return Verdict(
      .memoryLimit, isKnown && groupKills != nil ? .outOfMemory : .likelyOutOfMemory, then: limit, memoryKillEvidence)
  }

  /// Whether the kernel may have ended it: the counts of out-of-memory kills grew, and no other signal is known.
  private var couldBeMemoryKill: Bool {
    if case .killed(let signal, _) = known, signal != SIGKILL { return false }
    if let kills = groupKills { return kills > traces.oom_kills }
    return machineKills.map { $0 > traces.machine_oom_kills } ?? false
  }

  private var memoryKillEvidence: [String] {
    if let kills = groupKills {
      return [
        "out-of-memory kills in its control group: \(traces.oom_kills) at its start, \(kills) now",
        "these counts include the kills of all processes of the group",
      ]
    }
    return [
      "out-of-memory kills on this machine: \(traces.machine_oom_kills) at its start, \(machineKills ?? 0) now",
      "its control group no longer exists, so it is not known whether this process was among the killed ones",
    ]
  }

  /// A handler of the program, or of a runtime such as Go's, took a fault, and the process ended by a system call.
  private var ownHandler: Verdict? {
    let signal = Int32(clamping: traces.handler_signal)
    guard (1...64).contains(signal), traces.handler_time > 0, isRecent(traces.handler_time) else { return nil }
    let name = name(of: signal)
    let hasReturned = traces.handler_thread == 0
    let entered = contents.moment(traces.handler_time).map { " at \($0.text)" } ?? ""
    let evidence = [
      "a handler of the program for \(name) was entered\(entered)"
        + (hasReturned ? ", and returned" : " by thread \(traces.handler_thread), and did not return"),
      "if it is a Go program, set GOTRACEBACK=crash: CrashKit can then report the crash",
    ]
    switch known {
    case .exited(0): return nil
    case .exited(let status) where hasReturned:
      return Verdict(.unexplained, .handlerReturned, [status, name], evidence, signal: signal)
    case .exited(let status):
      return Verdict(.crash, .handlerExited, [name, status], evidence, signal: signal)
    case .killed(let end, _) where CrashReport.Signal.isHandled(end):
      return Verdict(.crash, .handlerDied, [self.name(of: end), name], evidence, signal: end)
    case nil where !hasReturned:
      return Verdict(.unexplained, .endedInHandler, [name], evidence)
    case .killed, nil: return nil
    }
  }

  /// A handler that jumps away leaves word of itself as well: what came long before the end did not bring it about.
  private func isRecent(_ moment: UInt64) -> Bool {
    let tooLong: UInt64 = 10_000_000_000
    guard known != nil else { return contents.latest < moment || contents.latest - moment < tooLong }
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    let nanoseconds = UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
    return nanoseconds >= moment && nanoseconds - moment < tooLong
  }

  /// A signal of which there should have been a report.
  private var handledSignal: Verdict? {
    guard case .killed(let signal, _) = known, CrashReport.Signal.isHandled(signal) else { return nil }
    return Verdict(.crash, .unseenSignal, [name(of: signal)], ["its parent saw that it died of \(name(of: signal))"])
  }

  private var hung: Verdict? {
    guard traces.hang_since > 0 else { return nil }
    let seconds = contents.latest > traces.hang_since ? (contents.latest - traces.hang_since) / 1_000_000_000 : 0
    let since = contents.moment(traces.hang_since).map { " since \($0.text)" } ?? ""
    var evidence = ["the process had been hanging\(since); at the last sign of life, the hang had lasted \(seconds) s"]
    if case .killed(let signal, _) = known { evidence.append("its parent saw that it died of \(name(of: signal))") }
    return Verdict(.hang, .endedHanging, [], evidence)
  }

  private var killed: Verdict {
    let memoryKill = couldBeMemoryKill ? memoryKillEvidence : []
    let perhaps = couldBeMemoryKill ? "; perhaps the kernel did it for lack of memory" : ""
    if case .killed(let signal, _) = known {
      return Verdict(
        .killed, .killedBySignal, [name(of: signal)], then: perhaps,
        ["its parent saw that it died of \(name(of: signal))"] + memoryKill)
    }
    return Verdict(
      .killed, .killed, [], then: perhaps,
      [
        "no crash handler was entered, and neither exit nor _exit was called",
        "the cause may be SIGKILL, a signal with its default action such as SIGTERM, an exit without the C library, or an "
          + "exec of another program: all leave the same traces",
      ] + memoryKill)
  }

  // MARK: - Facts

  private var signsOfLife: [String] {
    guard let last = contents.moment(contents.latest) else { return [] }
    return ["the last sign of life was at \(last.text)"]
  }

  private var memoryFacts: [String] {
    var facts: [String] = []
    if traces.memory_limit > 0 { facts.append("its memory limit was \(traces.memory_limit) bytes") }
    if let share = shareOfLimit {
      facts.append("the last value of a memory metric was \(Int((share * 100).rounded())) % of that")
    }
    if let share = peakShare { facts.append("its highest memory use was \(Int((share * 100).rounded())) % of that") }
    if let kills = groupKills, kills == traces.oom_kills {
      facts.append("no out-of-memory kill in its control group since its start")
    } else if groupKills == nil, let machine = machineKills, machine == traces.machine_oom_kills {
      facts.append("no out-of-memory kill on this machine since its start")
    }
    return facts
  }

  private var groupKills: UInt64? {
    contents.eventsPath.flatMap { surroundings.memoryKills(in: $0, inode: traces.events_inode) }
  }

  private var machineKills: UInt64? {
    traces.machine_oom_kills == .max ? nil : surroundings.machineMemoryKills
  }

  private var limit: String { traces.memory_limit > 0 ? ": its limit was \(traces.memory_limit) bytes" : "" }

  /// The most memory that the process had, as a share of the limit: only its parent knows.
  private var peakShare: Double? {
    guard case .killed(SIGKILL, let peak?) = known, traces.memory_limit > 0 else { return nil }
    return Double(peak) / Double(traces.memory_limit)
  }

  /// The largest last value of a metric of the program's memory, as a share of the limit.
  private var shareOfLimit: Double? {
    guard traces.memory_limit > 0 else { return nil }
    let values = contents.metrics.compactMap { metric -> Double? in
      guard metric.unit == "bytes", let name = metric.name?.lowercased(), let value = metric.value, value.isFinite,
        name.contains("memory") || name.contains("resident") || name.contains("rss")
      else { return nil }
      let share = value / Double(traces.memory_limit)
      // Far beyond the limit is another memory, such as the machine's.
      return (0...2).contains(share) ? share : nil
    }
    return values.max()
  }

  private func name(of signal: Int32) -> String { SignalName.of(signal) }
}

/// Signals by their names.
enum SignalName {
  /// `SIGTERM`, or `SIGRT` and the number for one without a name.
  static func of(_ signal: Int32) -> String { CrashReport.Signal.name(of: signal) ?? "SIGRT\(signal)" }
}
