import CrashReportModel

/// Finds the crash reports in an input. Only the input's content decides its form.
///
/// An input is one report, or a log with any number of reports. There are five forms: CrashKit's JSON, the JSON and the
/// text of the Swift runtime's backtracer, numbered `crashkit-report` lines, and CrashKit's summary lines on stderr. An
/// incomplete report is read up to the place where it breaks off. `capture.cutShort` names this place.
public enum ReportReader {
  /// Reads the reports of an input in their order.
  ///
  /// - Parameters:
  ///   - path: A regular file, or `-` for standard input.
  ///   - limit: The limit in bytes.
  /// - Throws: `ReadingError` if there is no report or the input cannot be read.
  public static func read(_ path: String, limit: Int = InputFile.defaultLimit) throws(ReadingError) -> [CrashReport] {
    let bytes =
      path == "-" ? try InputFile.readStandardInput(limit: limit) : try InputFile.read(path: path, limit: limit)
    return try read(bytes)
  }

  /// Reads the reports from bytes.
  ///
  /// - Throws: `ReadingError` if there is none.
  public static func read(_ bytes: [UInt8]) throws(ReadingError) -> [CrashReport] {
    // What a core's memory holds of reports is not what the core is about.
    guard !bytes.starts(with: [0x7F] + "ELF".utf8) else {
      throw ReadingError(
        .notAReport, "an ELF file, not a report; to read a core file, use crashsym FILE without other files")
    }
    let result = bytes.withUnsafeBytes { buffer -> Result<[FoundReport], ReadingError> in
      do throws(ReadingError) {
        return .success(try find(in: buffer))
      } catch {
        return .failure(error)
      }
    }
    let found = try result.get()
    guard !found.isEmpty else { throw describe(bytes) }
    return found.sorted { $0.offset < $1.offset }.map { $0.report.limited() }
  }

  private static func find(in bytes: UnsafeRawBufferPointer) throws(ReadingError) -> [FoundReport] {
    var reports = try JSONReports.find(in: bytes) + NumberedLines.find(in: bytes)
    if reports.isEmpty { reports = EscapedReports.find(in: bytes) }
    reports += SwiftBacktraceText.find(in: bytes)
    let summaries = SummaryLines.find(in: bytes)
    return SummaryMatching.merge(reports.sorted { $0.offset < $1.offset }, with: summaries)
  }

  /// The reason why bytes are not a report.
  private static func describe(_ bytes: [UInt8]) -> ReadingError {
    guard let first = bytes.first(where: { !isSpace($0) }) else {
      return ReadingError(.notAReport, bytes.isEmpty ? "an empty file, not a report" : "only blanks, not a report")
    }
    // As a ring file begins: see CCrashCapture's region.h.
    if bytes.starts(with: "REGION01".utf8) {
      return ReadingError(
        .notAReport,
        "the breadcrumbs of a process, not a report; if the process was killed, CrashKit reports it at the next launch with this folder"
      )
    }
    if first == 0 { return ReadingError(.notAReport, "not a report: binary data") }
    if first == UInt8(ascii: "[") { return ReadingError(.notAReport, "a JSON array, not a report") }
    if first == UInt8(ascii: "{") { return ReadingError(.notAReport, "JSON, but not a report") }
    return ReadingError(.notAReport, "neither a report nor a log that contains a report")
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}

/// A report and where in the input it starts.
struct FoundReport {
  var report: CrashReport
  var offset: Int
  /// The process, where something beside the report names it.
  private var namedProcess: Int?

  init(report: CrashReport, offset: Int, pid: Int? = nil) {
    self.report = report
    self.offset = offset
    namedProcess = pid
  }

  var pid: Int? { report.process?.pid ?? namedProcess }
}

extension CrashReport {
  /// Whether the object is a report, ours or the Swift runtime's, rather than any other JSON in a log.
  var isRecognised: Bool {
    if schema?.hasPrefix("crashkit/") == true { return true }
    guard timestamp != nil, kind != nil else { return false }
    return fields["faultAddress"] != nil || fields["threads"] != nil || fields["platform"] != nil
  }

  /// Records in the report that a part of it is incomplete.
  mutating func noteCut(_ what: String, _ reason: String) {
    var note = Note()
    note.what = what
    note.reason = reason
    var section = capture ?? Capture()
    section.cutShort = (section.cutShort ?? []) + [note]
    capture = section
  }
}
