import CrashReportModel
import Workloads

@testable import StressRunner

/// Reports and runs as tests need them.
enum Sample {
  static let place = Place(below: 0, file: "Module/Gauge.swift", line: 21)
  static let otherPlace = Place(below: 9, file: "Module/Gauge.swift", line: 21)

  static func frame(_ place: Place, inlined: Bool = false, approximate: Bool = false) -> CrashReport.Frame {
    var location = CrashReport.SourceLocation()
    location.file = "/src/app/\(place.file)"
    location.line = place.line
    if approximate { location.isApproximate = true }
    var frame = CrashReport.Frame()
    frame.kind = .returnAddress
    frame.description = "load()"
    frame.sourceLocation = location
    if inlined { frame.isInlined = true }
    return frame
  }

  /// A violation whose stacks are those of the frames.
  static func violation(
    _ kind: CrashReport.Kind, _ stacks: [[CrashReport.Frame]], message: String = "it is wrong"
  ) -> FoundReport {
    var violation = CrashReport.Violation()
    violation.severity = .error
    violation.code = "code"
    violation.message = message
    violation.stacks = stacks.map { frames in
      var stack = CrashReport.Violation.LabelledStack()
      stack.label = "here"
      stack.frames = frames
      return stack
    }
    var report = CrashReport()
    report.kind = kind
    report.violation = violation
    return FoundReport(path: "/reports/\(kind.rawValue).json", report: report)
  }

  static func crash(_ signal: Int, at place: Place) -> FoundReport {
    var section = CrashReport.Signal()
    section.number = signal
    section.name = "SIGNAL\(signal)"
    var thread = CrashReport.Thread()
    thread.crashed = true
    thread.frames = [frame(place)]
    var report = CrashReport()
    report.kind = .crashReport
    report.signal = section
    report.threads = [thread]
    return FoundReport(path: "/reports/crash.json", report: report)
  }

  /// What a run to its end leaves.
  static func lastState(load: Double = 0.5) -> FoundReport {
    var metric = CrashReport.Metric()
    metric.name = "cpu.load"
    metric.value = load
    var report = CrashReport()
    report.kind = .capture
    report.description = VariantHost.lastWords
    report.metrics = [metric]
    return FoundReport(path: "/reports/capture.json", report: report)
  }

  static func record(
    _ variant: Variant, _ reports: [FoundReport], end: VariantEnd = .finished, workload: String = "sample"
  ) -> VariantRecord {
    var record = VariantRecord(stressCase: StressCase(workload: workload, variant: variant))
    record.reports = reports
    record.end = end
    record.seconds = 1.5
    record.footprint = Footprint(cpuSeconds: 0.5, peakBytes: 30 << 20, writtenBytes: 4096, launchSeconds: 0.05)
    return record
  }

  static let correct = Variant("correct", "all is well")
  static let faulty = Variant("faulty", "a <NaN> & more", planted: [Plant("nan", at: [place])])
}
