import CrashReportModel
import Foundation
import TestEnvironment
import Testing

@testable import CrashReportReading

@Suite struct ReportReaderTests {
  static let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

  static func bytes(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: tests.appending(path: path))) }

  static let full = "CrashReportViewTests/Fixtures/full.json"

  private func read(_ text: String) throws -> [CrashReport] { try ReportReader.read(Array(text.utf8)) }

  private func failure(_ bytes: [UInt8]) -> ReadingError? {
    do throws(ReadingError) {
      _ = try ReportReader.read(bytes)
      return nil
    } catch {
      return error
    }
  }

  @Test func readsOurReport() throws {
    let reports = try ReportReader.read(try Self.bytes(Self.full))
    #expect(reports.count == 1)
    #expect(reports.first?.threads?.count == 15)
    // What the writer noted stays the only note.
    #expect(reports.first?.capture?.cutShort?.map(\.what) == ["breadcrumbs"])
  }

  @Test func readsASwiftLogFile() throws {
    let bytes = try Self.bytes("CrashReportReadingTests/Fixtures/swift-runtime-all-threads.json")
    let report = try #require(try ReportReader.read(bytes).first)
    #expect(report.schema == nil)
    #expect(report.capture == nil)
    #expect(report.threads?.contains { $0.crashed == true } == true)
    #expect(report.images?.contains { $0.name == "api" } == true)
  }

  @Test func readsASwiftLogInTheMiddleOfALog() throws {
    let reports = try ReportReader.read(try Self.bytes("CrashReportReadingTests/Fixtures/swift-runtime.log"))
    #expect(reports.count == 1)
    #expect(reports.first?.threads?.first?.frames?[3].sourceLocation?.line == 3)
    #expect(reports.first?.backtraceTime == 0.033574224)
    // The runtime prints this line before its log and leaves it out of that.
    #expect(reports.first?.message == "Fatal error: Index out of range")
    #expect(reports.first?.capture == nil)
  }

  /// Of the first of two reports, not of both.
  @Test func aFatalErrorBelongsToTheReportAfterIt() throws {
    let log = "Fatal error: one\n{\"schema\":\"crashkit/1\"}\n{\"schema\":\"crashkit/1\"}\n"
    #expect(try read(log).map(\.message) == ["Fatal error: one", nil])
  }

  @Test func readsSeveralReportsOfOneLog() throws {
    let one = #"{"schema":"crashkit/1","kind":"crashReport","cause":"one"}"#
    let two = #"{ "timestamp": "2026-11-21T08:24:35Z", "kind": "crashReport", "description": "two", "threads": [] }"#
    let noise = #"{"timestamp":"2026-11-21T08:24:35Z","level":"info","message":"{\"kind\": 1}"}"#
    let reports = try read("\(noise)\n12:00 \(one) and \(noise)\n\(two)\n\(noise)")
    #expect(reports.map { $0.cause ?? $0.description } == ["one", "two"])
  }

  @Test func theOrderOfKeysDoesNotMatter() throws {
    let report = try #require(try read(#"\#u{FEFF}{"x":1,"threads":[],"schema":"crashkit/1"}"#).first)
    #expect(report.schema == "crashkit/1")
  }

  @Test func halfAReportSaysWhereItEnds() throws {
    let bytes = try Self.bytes(Self.full)
    let half = Array(bytes[..<(bytes.count / 2)])
    let report = try #require(try ReportReader.read(half).first)
    let note = try #require(report.capture?.cutShort?.first)
    #expect(note.what == "report")
    #expect(try #require(note.reason).hasPrefix("it ends after \(half.count) bytes, in threads["))
    #expect((report.threads?.count ?? 0) > 1)
  }

  @Test func aReportWithZerosAtItsEndIsDamaged() throws {
    let bytes = Array(#"{"schema":"crashkit/1","cause":"why","mess"#.utf8)
    let report = try #require(try ReportReader.read(bytes + [UInt8](repeating: 0, count: 4096)).first)
    #expect(report.cause == "why")
    #expect(report.capture?.cutShort?.first?.reason == "it is damaged after \(bytes.count) bytes")
  }

  @Test func aCutReportIsShownAsCutOrRefused() throws {
    let bytes = try Self.bytes("CrashReportReadingTests/Fixtures/swift-runtime-all-threads.json")
    var hasBeenRecognised = false
    for count in 0..<bytes.count - 2 {
      do throws(ReadingError) {
        let reports = try ReportReader.read(Array(bytes[..<count]))
        #expect(reports.count == 1)
        #expect(reports.first?.capture?.cutShort?.count == 1, "\(count) bytes")
        hasBeenRecognised = true
      } catch {
        #expect(error.kind == .notAReport)
        #expect(!hasBeenRecognised, "\(count) bytes")
      }
    }
    #expect(hasBeenRecognised)
  }

  @Test func namesTheMistake() {
    #expect(failure([])?.what == "an empty file, not a report")
    #expect(failure(Array(" \n".utf8))?.what == "only blanks, not a report")
    #expect(failure([0, 0, 0])?.what == "not a report: binary data")
    let core = Array("\u{7F}ELF".utf8) + Array(#"{"kind": "crashReport", "threads": []}"#.utf8)
    #expect(
      failure(core)?.what == "an ELF file, not a report; to read a core file, use crashsym FILE without other files")
    #expect(failure(Array("[1]".utf8))?.what == "a JSON array, not a report")
    #expect(failure(Array("{}".utf8))?.what == "JSON, but not a report")
    #expect(failure(Array(#"{"kind":"crashReport"}"#.utf8))?.what == "JSON, but not a report")
    #expect(failure(Array("hello".utf8))?.what == "neither a report nor a log that contains a report")
    #expect(
      failure(Array("REGION01\u{2}\0\0\0".utf8))?.what
        == "the breadcrumbs of a process, not a report; if the process was killed, CrashKit reports it at the next launch with this folder"
    )
  }

  @Test func hostileNestingIsRefused() {
    let brackets = String(repeating: "[", count: 200_000)
    #expect(failure(Array(brackets.utf8))?.kind == .notAReport)
    let nested = #"{"schema":"crashkit/1","a":"# + brackets
    #expect(failure(Array(nested.utf8))?.what == "not a report: nested deeper than 128 levels at byte 154")
    let objects = String(repeating: #"{"schema":"#, count: 200_000)
    #expect(failure(Array(objects.utf8))?.kind == .notAReport)
    #expect(failure(Array(("log\n" + objects).utf8))?.kind == .notAReport)
  }

  @Test(.timeLimit(.minutes(30))) func workOnBrokenPiecesIsBounded() {
    // Each of these starts an object that runs to the end of the input; reading all of them would take for ever.
    let piece = #"{"kind":[{"a":1},"#
    let bytes = Array(("log " + String(repeating: piece, count: 100)).utf8)
    let tail = Array(String(repeating: "{\"kind\":1},", count: 100_000).utf8)
    #expect(failure(bytes + tail)?.kind == .notAReport)
  }

  @Test func readsAReportInsideAStringOfALogRecord() throws {
    let text = String(decoding: try Self.bytes(Self.full).dropLast(), as: UTF8.self)
    let record = JSONValue.object(JSONObject(members: [.init(key: "log", value: .string(text + "\n"))])).text
    let log = #"{"log":"starting {\"a\":1}\n"}"# + "\n" + record + "\n"
    let reports = try ReportReader.read(Array(log.utf8))
    #expect(reports.map(\.json.text) == [text])
    let half = try ReportReader.read(Array(record.utf8.prefix(record.utf8.count / 2)))
    #expect(half.first?.signal?.number == 11)
    #expect(half.first?.capture?.cutShort?.isEmpty == false)
  }

  /// The line of `output=json-line`, as it is and as log services hand it out; what has a time and a kind, but no schema
  /// of ours, is no report there.
  @Test(arguments: [
    #"{"@timestamp":"2026-11-27T10:00:00Z","crashkit.report":REPORT}"#,
    #"{"insertId":"a","jsonPayload":{"severity":"CRITICAL","crashkit.report":REPORT}}"#,
    #"{"a":[{"timestamp":"2026-11-27T10:00:00Z","kind":"hang","threads":[]},[REPORT]]}"#,
  ])
  func `reads a report inside other JSON`(_ line: String) throws {
    let text = #"{"schema":"crashkit/1","timestamp":"2026-11-27T10:00:00.000000Z","kind":"crashReport"}"#
    let log = line.replacing("REPORT", with: text) + "\n"
    #expect(try ReportReader.read(Array(log.utf8)).map(\.json.text) == [text])
    let record = JSONValue.object(JSONObject(members: [.init(key: "log", value: .string(log))])).text
    #expect(try ReportReader.read(Array((record + "\n").utf8)).map(\.json.text) == [text])
  }

  private static func time(_ work: () -> Void) -> UInt64 {
    let start = thread_time_ns()
    work()
    return thread_time_ns() - start
  }

  @Test(arguments: ["{", "Program crashed: \n"])
  func `what is no report costs little more than its bytes`(_ piece: String) {
    let noise = Array(String(repeating: piece, count: (2 << 20) / piece.utf8.count).utf8)
    let time = Self.time { _ = try? ReportReader.read(noise) }
    // Of a build without optimisation, on a busy machine.
    let mostPerByte: UInt64 = 150
    #expect(time < UInt64(noise.count) * mostPerByte, "\(time) ns for \(noise.count) bytes")
  }

  /// Four times the bytes take four times as long, and not sixteen times.
  @Test(arguments: HostileLog.all) func `hostile logs are read in linear time`(_ log: HostileLog) {
    func time(_ size: Int) -> UInt64 {
      let bytes = log.bytes(size)
      return (0..<3).map { _ in Self.time { _ = try? ReportReader.read(bytes) } }.min()!
    }
    let (short, long) = (time(HostileLog.size), time(4 * HostileLog.size))
    #expect(long < 9 * max(short, 2_000_000), "\(short) and \(long) ns")
    // Of a build without optimisation, on a busy machine.
    let mostPerByte: UInt64 = 24_000
    #expect(long < UInt64(4 * HostileLog.size) * mostPerByte, "\(long) ns")
  }

  @Test(arguments: ["{", "{{ ", "\"{\" {", "{\"a\":1} {\n\t ", "[{\"schema\" {"])
  func `a report is found behind braces and quotes`(_ before: String) throws {
    let report = #"{"schema":"crashkit/1","kind":"crashReport","timestamp":"2026-11-21T08:24:35Z","threads":[]}"#
    let found = try ReportReader.read(Array(("x" + before + "\n" + report).utf8))
    #expect(found.map(\.kind) == [.crashReport])
  }
}
