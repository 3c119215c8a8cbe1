import CrashReportModel
import Foundation
import Symbolication

@testable import DeskServer
@testable import DeskStore

/// A report as CrashKit writes it, with its frames filled in.
func reportText(
  function: String = "book_price", version: String = "1.0", second: Int = 0, message: String = "no such order",
  host: String = "web-1", attributes: [String: String] = [:]
) -> String {
  func quoted(_ text: String) -> String { JSONValue.string(text).text }
  let pairs = attributes.sorted { $0.key < $1.key }.map { "\(quoted($0.key)):\(quoted($0.value))" }
    .joined(separator: ",")
  let time = Timestamp(microsecondsSince1970: 1_764_237_600_000_000 + Int64(second) * 1_000_000).text
  return """
    {"schema":"crashkit/1","timestamp":"\(time)","kind":"crashReport","description":"Trap","platform":"Linux",\
    "architecture":"x86_64","signal":{"number":4,"name":"SIGILL"},"message":\(quoted(message)),\
    "application":{"name":"api","version":\(quoted(version))},"process":{"pid":17,"name":"api"},\
    "host":{"name":\(quoted(host))},"attributes":{\(pairs)},"threads":[{"id":17,"crashed":true,"frames":[\
    {"kind":"programCounter","address":"0x0000000000401000","symbol":\(quoted(function)),"offset":4,\
    "description":\(quoted(function)),"image":"api","system":false,"sourceLocation":{"file":"/src/Book.swift","line":7,"column":3}}]}],\
    "images":[{"name":"api","buildId":"0123456789abcdef0123456789abcdef01234567","path":"/srv/api",\
    "baseAddress":"0x0000000000400000","endOfText":"0x0000000000500000"}]}
    """
}

/// Lets other tasks run. Throws if the test's time is over: a loop that waits must end then.
func yieldUnlessCancelled() async throws {
  try Task.checkCancellation()
  await Task.yield()
}

/// A desk in a folder of its own.
final class TestDesk {
  let folder = TemporaryFolder()
  let tokens: Tokens
  let store: SQLiteStore
  let desk: Desk

  init(_ configuration: Desk.Configuration = .init(), token: String? = nil) throws {
    let data = try DataFolder(folder.path)
    tokens = try Tokens(data.path)
    let symbols = try DeskSymbols(data.symbols) { folder in
      Symbolicator(options: .init(symbolDirectories: [folder], debugDirectories: []))
    }
    let describer = ReportDescriber(symbols)
    store = try SQLiteStore(data) { try describer.describe($0, $1) }
    desk = try Desk(store, tokens, describer, symbols: symbols, configuration)
  }

  func answer(
    _ method: String, _ target: String, _ body: String = "", _ headers: [String: String] = [:],
    authority: String? = "127.0.0.1:8017"
  ) async -> DeskAnswer {
    await answer(method, target, bytes: Array(body.utf8), headers, authority: authority)
  }

  func answer(
    _ method: String, _ target: String, bytes: [UInt8], _ headers: [String: String],
    authority: String? = "127.0.0.1:8017"
  ) async -> DeskAnswer {
    await desk.answer(to: .test(method, target, bytes, headers, authority))
  }

  func send(_ report: String, _ headers: [String: String] = [:]) async -> DeskAnswer {
    await answer(
      "POST", "/api/reports", report, ["Content-Type": "application/json"].merging(headers) { $1 })
  }
}

extension DeskAnswer {
  var text: String { String(decoding: body, as: UTF8.self) }

  /// A field of an answer in JSON.
  func field(_ key: String) -> String? {
    (try? JSONParser.parse(body).object)?[key].flatMap(String.init(json:))
  }
}

/// A push of a live program.
func pushText(
  program: String = "api", load: Double = 0.5, threshold: Double = 0.8, events: [(number: Int, state: String)] = [],
  metric: String = "cpu.load", edit: Int = 0, ended: Bool = false, now: Double = 1_764_237_600
) -> String {
  func quoted(_ text: String) -> String { JSONValue.string(text).text }
  let state = load >= threshold ? "critical" : "nominal"
  let list = events.map { event in
    """
    {"number":\(event.number),"date":\(now),"metric":\(quoted(metric)),"unit":"ratio","state":"\(event.state)",\
    "value":\(load),"threshold":\(threshold)}
    """
  }
  return """
    {"schema":"crashkit-live/1","program":\(quoted(program)),"version":"1.0","host":"web-1","process":17,"refresh":1,\
    "system":"Debian","memory":123000000,"edit":\(edit),"ended":\(ended),"metrics":[\
    {"name":\(quoted(metric)),"unit":"ratio","value":\(load),"threshold":\(threshold),"nominal":"lower","state":"\(state)"},\
    {"name":"battery.level","unit":"ratio","unavailable":"no device","threshold":0.2,"nominal":"upper","state":"unknown"}],\
    "events":[\(list.joined(separator: ","))],\
    "endpoints":[{"name":"GET /price","calls":41,"errors":2,"mean":0.012,"p99":0.4,"lastCall":\(now)}]}
    """
}

extension TestDesk {
  func push(
    _ id: String, _ text: String, _ headers: [String: String] = [:]
  ) async -> DeskAnswer {
    await answer(
      "POST", "/api/live/\(id)", text, ["Content-Type": "application/json"].merging(headers) { $1 })
  }
}
