import CCrashCapture
import CrashReportModel
import Glibc

/// Makes reports from the ring files of a folder: one for each ring whose process has ended without a report.
///
/// Any number of processes may do this at once in one folder, and each may end at any moment. Still, each ring gives
/// exactly one report: only the process that holds the ring's lock makes the report, and the report's name depends only
/// on the ring.
public struct PreviousRuns {
  /// The results for the rings.
  public struct Outcome: Sendable {
    /// The names of the reports that were made.
    public var reports: [String] = []
    /// The errors, one line for each.
    public var notes: [String] = []
  }

  private static let ringSuffix = ".ring"
  /// Far more than a region has.
  private static let mostBytes = 4 << 20

  private let directory: ReportDirectory
  private let surroundings = Surroundings()

  /// Prepares the work on a folder.
  public init(in directory: ReportDirectory) {
    self.directory = directory
  }

  /// Makes the reports, and removes the rings. It also gives a spare file its final name if the file's process has
  /// ended, or has finished the report in the file. This applies to the spare files of all processes, even if `pid`
  /// selects one process.
  ///
  /// - Parameters:
  ///   - pid: The single process to check; `nil` means all.
  ///   - known: How the process `pid` ended, if the caller is its parent.
  ///   - exitsAreSeen: Whether an `_exit` with a status other than 0 needs no report, because the processes' parent
  ///     sees the status.
  ///   - isWanted: Whether to use the ring with this name.
  public func report(
    pid: Int32? = nil, known: KnownEnd? = nil, exitsAreSeen: Bool = false,
    where isWanted: (String) -> Bool = { _ in true }
  ) -> Outcome {
    var outcome = Outcome()
    // First: the report of a crash is then where its ring's file says.
    outcome.notes = SpareFiles(directory: directory).takeIn()
    let names = directory.names { name in
      name.hasSuffix(Self.ringSuffix) && (pid == nil || name.hasPrefix("\(pid!)-")) && isWanted(name)
    }
    var rings: [Ring] = []
    for name in names.sorted() {
      guard let file = takeOver(name) else { continue }
      let bytes = file.bytes(upTo: Self.mostBytes)
      if let contents = RegionContents(bytes), isSound(contents) {
        rings.append(Ring(name: name, file: file, contents: contents, size: bytes.count))
      } else {
        setAside(name, size: bytes.count, &outcome)
      }
    }
    // A process that became another program by exec leaves a ring for each: it ended in the last.
    var last: [Ring.Process: UInt64] = [:]
    for ring in rings { last[ring.process] = max(last[ring.process] ?? 0, ring.contents.header.started_at) }
    for ring in rings {
      let isLast = last[ring.process] == ring.contents.header.started_at
      let verdict = Verdict(
        ring.contents, known: known, exitsAreSeen: exitsAreSeen, surroundings: surroundings)
      tell(ring, isLast ? verdict : nil, known: known, &outcome)
    }
    return outcome
  }

  private struct Ring {
    struct Process: Hashable {
      var pid: UInt32
      var startTicks: UInt64
      var namespace: UInt64
      /// Only where the ones above are unknown.
      var instance: UInt64
    }

    let name: String
    let file: OpenFile
    let contents: RegionContents
    let size: Int

    var process: Process {
      let header = contents.header
      let isKnown = header.start_ticks > 0 && header.evidence.pid_namespace > 0
      return Process(
        pid: header.pid, startTicks: header.start_ticks, namespace: header.evidence.pid_namespace,
        instance: isKnown ? 0 : header.instance)
    }
  }

  /// Takes the file's lock, which its process held to its end. `nil`: it still runs, or another process was first.
  private func takeOver(_ name: String) -> OpenFile? {
    guard let file = (try? directory.open(name, writable: true)) ?? (try? directory.open(name)) else { return nil }
    return file.lock() && file.isStill(name, in: directory) ? file : nil
  }

  private func isSound(_ contents: RegionContents) -> Bool {
    contents.header.pid > 0 && contents.header.pid <= UInt32(Int32.max)
  }

  private func setAside(_ name: String, size: Int, _ outcome: inout Outcome) {
    let newName = name + ".damaged"
    do throws(SystemError) {
      try directory.rename(name, to: newName)
      outcome.notes.append("\(name) cannot be read (\(counted(size, "byte"))); it is now \(newName)")
    } catch {
      outcome.notes.append("\(name) cannot be read (\(counted(size, "byte"))), nor be set aside: \(error)")
    }
  }

  /// Makes the report of a ring, if there is something to report, and removes the ring.
  private func tell(_ ring: Ring, _ verdict: Verdict?, known: KnownEnd?, _ outcome: inout Outcome) {
    let header = ring.contents.header
    let lives = surroundings.isAlive(
      pid: header.pid, startTicks: header.start_ticks, namespace: header.evidence.pid_namespace)
    do throws(SystemError) {
      let crash = try crashReport(of: header)
      if let verdict, !lives, verdict.classification != .clean, crash != .finished {
        let time = known == nil ? time(of: ring) : now
        var partial: String?
        if case .unfinished(let name) = crash { partial = name }
        let exit = UncleanExit(
          contents: ring.contents, verdict: verdict, time: time, known: known, size: ring.size,
          unfinishedReport: partial, surroundings: surroundings)
        let partialName = ring.name.dropLast(Self.ringSuffix.count) + ReportName.partialSuffix
        if let name = try write(exit, partialName: String(partialName)) {
          outcome.reports.append(name)
        }
      }
      try directory.remove(ring.name)
    } catch {
      outcome.notes.append("no report can be made from \(ring.name): \(error)")
    }
  }

  private var now: Timestamp {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Timestamp(microsecondsSince1970: Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000)
  }

  /// The last moment that the ring knows of; the file's own time, if that moment is impossible.
  private func time(of ring: Ring) -> Timestamp {
    let changed = ring.file.status.st_mtim
    // A process that may write the file may give it any time that an integer holds.
    let seconds = min(max(0, Int64(changed.tv_sec)), Int64.max / 2_000_000)
    let fileTime = Timestamp(microsecondsSince1970: seconds * 1_000_000 + Int64(changed.tv_nsec) / 1000)
    let aDay: Int64 = 86_400_000_000
    guard let time = ring.contents.moment(ring.contents.latest), time.microseconds > 0,
      time.microseconds < now.microseconds + aDay
    else { return fileTime }
    return time
  }

  private enum CrashFile: Equatable {
    case finished
    case unfinished(String)
    case none
  }

  /// What there is of the crash report that the process was writing.
  private func crashReport(of header: ck_region_view) throws(SystemError) -> CrashFile {
    guard [CK_ENDING_CRASHING, CK_ENDING_PRINTED].contains(header.ending),
      header.evidence.crash_time < UInt64(Int64.max)
    else { return .none }
    let time = Timestamp(microsecondsSince1970: Int64(header.evidence.crash_time / 1000))
    let name = ReportName(time: time, pid: Int32(header.pid), kind: "crashReport").text
    let partial = name + ReportName.partialSuffix
    for place in ["", "handled/", "set-aside/"] where isWhole(place + name) { return .finished }
    // A full disk cut it behind its writer's back.
    if directory.status(of: name) != nil { try directory.rename(name, to: partial) }
    return directory.status(of: partial) == nil ? .none : .unfinished(partial)
  }

  private func isWhole(_ name: String) -> Bool {
    (try? directory.open(name))?.holdsWholeReport ?? false
  }

  /// Writes the report; `nil` if there is one already, by a launch that ended before it removed the ring.
  private func write(_ exit: UncleanExit, partialName: String) throws(SystemError) -> String? {
    let instance = UncleanExit.instance(exit.contents.header)
    let bytes = exit.report.json.utf8 + [0x0A]
    var isWritten = false
    // Of two processes with one pid, in two containers, both may have ended in the same millisecond.
    for later in 0..<1000 {
      let time = Timestamp(microsecondsSince1970: exit.time.microseconds + Int64(later) * 1000)
      let name = ReportName(time: time, pid: Int32(exit.contents.header.pid), kind: UncleanExit.kind).text
      if isTold(name, instance: instance) {
        if isWritten { try directory.remove(partialName) }
        return nil
      }
      if !isWritten { try directory.write(bytes, to: partialName) }
      isWritten = true
      do throws(SystemError) {
        try directory.rename(partialName, to: name)
        return name
      } catch {
        guard error.code == EEXIST else { throw error }
      }
    }
    throw SystemError(partialName, code: EEXIST)
  }

  private func isTold(_ name: String, instance: String) -> Bool {
    for place in ["", "handled/", "set-aside/"] {
      guard let file = try? directory.open(place + name) else { continue }
      let head = StoredHead.read(file)
      if head?.report.ending?.instance == instance { return true }
    }
    return false
  }
}
