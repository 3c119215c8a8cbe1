import CCrashCapture
import CrashReportModel
import Glibc

/// The report of a process that left no report itself, made from its ring file.
struct UncleanExit {
  let contents: RegionContents
  let verdict: Verdict
  /// When it ended, as well as that is known.
  let time: Timestamp
  let known: KnownEnd?
  /// Bytes of the file.
  let size: Int
  let unfinishedReport: String?
  let surroundings: Surroundings

  static let kind = CrashReport.Kind.uncleanExit.rawValue

  /// The process's random number, as its ring file's name has it.
  static func instance(_ view: ck_region_view) -> String {
    let digits = String(view.instance, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  var report: CrashReport {
    var report = CrashReport()
    report.schema = "crashkit/1"
    report.timestamp = time
    report.kind = .uncleanExit
    report.signal = signal
    report.setCause(verdict.code, verdict.cause)
    report.ending = ending
    report.process = process
    report.application = application
    report.breadcrumbs = contents.breadcrumbs
    report.omittedBreadcrumbs = contents.omittedBreadcrumbs
    report.attributes = contents.attributes
    report.metrics = contents.metrics
    report.memory = memory
    report.capture = capture
    return report
  }

  private var header: ck_region_view { contents.header }

  private var signal: CrashReport.Signal? {
    var number: Int32?
    if [CK_ENDING_CRASHING, CK_ENDING_PRINTED].contains(header.ending) {
      number = Int32(clamping: header.evidence.crash_signal)
    }
    if case .killed(let told, _) = known { number = told }
    if let own = verdict.signal { number = own }
    guard let number, (1...64).contains(number) else { return nil }
    var signal = CrashReport.Signal()
    signal.number = Int(number)
    signal.name = SignalName.of(number)
    return signal
  }

  private var ending: CrashReport.Ending {
    var ending = CrashReport.Ending()
    ending.classification = verdict.classification
    ending.evidence = verdict.evidence
    ending.lastAlive = contents.moment(contents.latest)
    ending.instance = Self.instance(header)
    if header.ending == CK_ENDING_EXITED { ending.status = Int(header.evidence.exit_status & 0xFF) }
    ending.unfinishedReport = unfinishedReport
    if header.is_exit_test { ending.isExitTest = true }
    return ending
  }

  private var process: CrashReport.Process {
    var process = CrashReport.Process()
    process.pid = Int(header.pid)
    process.set("name", bytes: bytes(of: header.process_name, header.process_name_length))
    process.startedAt = contents.moment(header.started_at)
    process.uptime = process.startedAt.map { max(0, time.seconds(since: $0)) }
    return process
  }

  private var application: CrashReport.Application {
    var application = CrashReport.Application()
    let name = bytes(of: header.application_name, header.application_name_length)
    let processName = bytes(of: header.process_name, header.process_name_length)
    application.set("name", bytes: name.isEmpty ? processName.isEmpty ? Array("unnamed".utf8) : processName : name)
    if header.application_version_length > 0 {
      application.set("version", bytes: bytes(of: header.application_version, header.application_version_length))
    }
    if header.application_build_length > 0 {
      application.set("build", bytes: bytes(of: header.application_build, header.application_build_length))
    }
    return application
  }

  /// Of the process's own memory nothing is known now. The pressure is of the last ten seconds: it says something only
  /// if the parent makes the report at once.
  private var memory: CrashReport.Memory? {
    var memory = CrashReport.Memory()
    let traces = header.evidence
    memory.limit = traces.memory_limit > 0 ? Int(exactly: traces.memory_limit) : nil
    let path = contents.eventsPath
    memory.events = path.flatMap { surroundings.memoryEvents(in: $0, inode: traces.events_inode) }
    if known != nil {
      memory.pressure = surroundings.memoryPressure(in: path ?? "", inode: traces.events_inode)
    }
    return memory.fields.members.isEmpty ? nil : memory
  }

  private var capture: CrashReport.Capture {
    var capture = CrashReport.Capture()
    capture.version = CRP_VERSION
    let whole = Int(header.ring_offset) + Int(header.ring_size)
    if size < whole {
      var note = CrashReport.Note()
      note.what = "ring file"
      note.reason = "it has \(size) of \(whole) bytes"
      capture.cutShort = [note]
    }
    return capture
  }
}
