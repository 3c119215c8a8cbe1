import CrashReportModel
import Foundation
import Synchronization

@testable import ReportSending

/// A folder that is removed at the end.
final class Folder {
  let url = FileManager.default.temporaryDirectory.appending(path: "sending-\(UUID().uuidString)")

  init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(at: url) }

  func put(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: url.appending(path: name))
  }

  /// A report of a fault at a second after ten o'clock.
  func put(fault: String, second: Int, pid: Int) throws {
    let time = "10:\(Self.padded(second / 60)):\(Self.padded(second % 60)).000"
    try put(
      "20261127T\(time.replacing(":", with: ""))Z-\(pid)-crashReport.json",
      #"{"schema":"crashkit/1","kind":"crashReport","timestamp":"2026-11-27T\#(time)Z","message":"\#(fault)","#
        + #""process":{"pid":\#(pid)}}"#)
  }

  var journals: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: url.path).filter {
        $0.hasPrefix(".sent-") && !$0.hasSuffix(".lock")
      }
    }
  }

  private static func padded(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
}

/// A server that answers from a list, and at its end with 200; a clock that stands still; lines that are kept.
final class World: Transport {
  private struct State {
    var answers: [Result<HTTPResponse, TransportFailure>] = []
    var requests: [HTTPRequest] = []
    var now: Int64 = 1_795_773_600_000_000
    var lines: [String] = []
  }

  private let state = Mutex(State())

  func send(_ request: HTTPRequest) throws(TransportFailure) -> HTTPResponse {
    let answer = state.withLock { state in
      state.requests.append(request)
      return state.answers.isEmpty ? .success(HTTPResponse(status: 200)) : state.answers.removeFirst()
    }
    return try answer.get()
  }

  func answer(_ answers: Int...) {
    state.withLock { $0.answers += answers.map { .success(HTTPResponse(status: $0)) } }
  }

  func answer(_ answer: Result<HTTPResponse, TransportFailure>) { state.withLock { $0.answers.append(answer) } }

  /// The bodies since the last call.
  func taken() -> [JSONObject] {
    let requests = state.withLock { state in
      defer { state.requests = [] }
      return state.requests
    }
    return requests.compactMap { try? JSONParser.parse($0.body).object }
  }

  func lines() -> [String] {
    state.withLock { state in
      defer { state.lines = [] }
      return state.lines
    }
  }

  func pass(seconds: Double) { state.withLock { $0.now += Int64(seconds * 1_000_000) } }

  var now: Int64 { state.withLock { $0.now } }

  var surroundings: Surroundings {
    Surroundings(
      now: { Timestamp(microsecondsSince1970: self.now) }, chance: { 1 },
      note: { what, place in self.state.withLock { $0.lines.append("\(what): \(place)") } })
  }

  /// A drainer to a web hook, which groups reports by their messages.
  func drainer(_ folder: Folder, reader: String = "1") throws -> Drainer {
    let preparation = ReportPreparation { report in
      var fingerprint = CrashReport.Fingerprint()
      fingerprint.value = "2-\(report.message ?? "")"
      return fingerprint
    } prepared: { report in
      var report = report
      report.description = "prepared"
      return report
    }
    let drainer = try Drainer(
      folder: folder.url.path, destination: WebhookDestination("http://127.0.0.1/", .init()), transport: self,
      preparation: preparation, surroundings: surroundings, reader: reader)
    guard try drainer.begin(waits: false) else { throw SendFailure(what: "locked", status: 75) }
    return drainer
  }
}
