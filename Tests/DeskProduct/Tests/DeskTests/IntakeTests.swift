import CrashReportModel
import Foundation
import HTTPTypes
import Testing

@testable import DeskServer
@testable import DeskStore

extension DeskRequest {
  static func test(
    _ method: String, _ target: String, _ body: [UInt8], _ headers: [String: String], _ authority: String?
  ) -> DeskRequest {
    var fields = HTTPFields()
    for (name, value) in headers { fields[HTTPField.Name(name)!] = value }
    return DeskRequest(method, target, authority: authority, headers: fields) { limit in
      guard body.count <= limit else { throw Refusal(.tooLarge, "too long") }
      return body
    }
  }
}

struct IntakeTests {
  @Test func storesAReportOnce() async throws {
    let test = try TestDesk()
    let first = await test.send(reportText())
    #expect(first.status.code == 202 && first.field("status") == "new")
    let again = await test.send(reportText())
    #expect(again.status.code == 200 && again.field("status") == "known")
    #expect(again.field("id") == first.field("id"))
    let id = try #require(first.field("id").flatMap { ReportID($0) })
    #expect(try test.store.bytes(of: id) == Array(reportText().utf8))
    let fingerprint = try #require(first.field("fingerprint"))
    let group = try #require(try test.store.group(fingerprint, now: .now))
    #expect(group.count == 1 && group.versions == ["1.0"] && group.hosts == ["web-1"])
    #expect(group.title.contains("book_price"))
  }

  @Test func takesTheKeyOfTheSender() async throws {
    let test = try TestDesk()
    let key = ["Idempotency-Key": "9f1c6a2b-7d3e-4f50-9f1c-6a2b7d3e4f50"]
    #expect(await test.send(reportText(), key).status.code == 202)
    #expect(await test.send(reportText(message: "another"), key).status.code == 200)
    for wrong in ["short", "../../../etc/passwd", String(repeating: "a", count: 129)] {
      #expect(await test.send(reportText(second: 1), ["Idempotency-Key": wrong]).status.code == 400)
    }
    #expect(try test.store.totals(now: .now).reports == 1)
  }

  @Test func unpacksGzip() async throws {
    let test = try TestDesk()
    let headers = ["Content-Type": "application/json", "Content-Encoding": "gzip"]
    let packed = try gzipped(Array(reportText().utf8))
    let answer = await test.answer("POST", "/api/reports", bytes: packed, headers)
    #expect(answer.status.code == 202)
    #expect(await test.send(reportText()).status.code == 200)
    let cut = await test.answer("POST", "/api/reports", bytes: Array(packed.dropLast(9)), headers)
    #expect(cut.status.code == 400 && cut.field("error")?.contains("gzip") == true)
  }

  @Test func refusesAZipBombAndALongBody() async throws {
    var configuration = Desk.Configuration()
    (configuration.sentLimit, configuration.unpackedLimit) = (4_000, 100_000)
    let test = try TestDesk(configuration)
    let bomb = try gzipped([UInt8](repeating: 0x20, count: 2_000_000), "-9")
    #expect(bomb.count < 4_000)
    let headers = ["Content-Type": "application/json", "Content-Encoding": "gzip"]
    let answer = await test.answer("POST", "/api/reports", bytes: bomb, headers)
    #expect(answer.status.code == 413 && answer.field("error") != nil)
    #expect(await test.send(reportText(message: String(repeating: "x", count: 5_000))).status.code == 413)
    #expect(try test.store.totals(now: .now).reports == 0)
  }

  @Test(arguments: [
    ("", 422), ("[]", 422), ("{}", 422), (#"{"schema":"other"}"#, 422), ("not JSON", 422),
    (reportText() + "\n" + reportText(second: 1), 422), (#"{"schema":"crashkit-count/1"}"#, 422),
    (
      #"{"schema":"crashkit-count/1","fingerprint":"2-<script>","title":"a","count":1,"minute":"2026-11-27T10:00:00Z"}"#,
      422
    ),
    (
      #"{"schema":"crashkit-count/1","fingerprint":"2-9f1c6a2b7d3e4f50","title":"a","count":-4,"minute":"2026-11-27T10:00:00Z"}"#,
      422
    ),
    (reportText().replacing(#""schema""#, with: #""fingerprint":{"value":"../../x"},"schema""#), 422),
  ])
  func refusesWhatIsNoReport(body: String, status: Int) async throws {
    let test = try TestDesk()
    let answer = await test.send(body)
    #expect(answer.status.code == status)
    #expect(answer.field("error")?.isEmpty == false)
    #expect(try test.store.totals(now: .now) == Totals())
  }

  @Test func refusesOtherTypesHostsAndMethods() async throws {
    let test = try TestDesk()
    #expect(await test.send(reportText(), ["Content-Type": "text/plain"]).status.code == 415)
    #expect(await test.send(reportText(), ["Content-Encoding": "br"]).status.code == 415)
    let json = ["Content-Type": "application/json; charset=utf-8"]
    #expect(await test.answer("POST", "/api/reports", reportText(), json, authority: "evil.example").status.code == 421)
    #expect(await test.answer("POST", "/api/reports", reportText(), json, authority: nil).status.code == 421)
    #expect(await test.answer("PUT", "/api/reports", reportText(), json).status.code == 404)
    #expect(try test.store.totals(now: .now).reports == 0)
    #expect(await test.answer("POST", "/api/reports", reportText(), json, authority: "LocalHost:80").status.code == 202)
  }

  @Test func countsACrashLoop() async throws {
    let test = try TestDesk()
    let first = await test.send(reportText())
    let fingerprint = try #require(first.field("fingerprint"))
    let count = """
      {"schema":"crashkit-count/1","id":"0123456789abcdef0123456789abcdef","fingerprint":"\(fingerprint)",\
      "title":"trap in price(of:)","count":41,"minute":"2025-11-27T10:00:00.000000Z"}
      """
    #expect(await test.send(count).status.code == 202)
    #expect(try test.store.group(fingerprint, now: .now)?.count == 42)
  }

  @Test func countsAnImpossibleTimeAsNow() async throws {
    let test = try TestDesk()
    let start = Timestamp.now
    for time in ["2999-01-01T00:00:00.000000Z", "1970-01-01T00:00:00.000000Z"] {
      let old = Timestamp(microsecondsSince1970: 1_764_237_600_000_000).text
      let answer = await test.send(reportText(function: "f\(time)").replacing(old, with: time))
      let fingerprint = try #require(answer.field("fingerprint"))
      let group = try #require(try test.store.group(fingerprint, now: .now))
      #expect(group.lastSeen >= start && group.lastSeen <= .now)
    }
  }

  @Test func wantsATokenIfThereIsOne() async throws {
    let test = try TestDesk()
    #expect(await test.send(reportText()).status.code == 202)
    // Another process makes it while the desk runs.
    let token = try Tokens(test.folder.path).make("api")
    let without = await test.send(reportText(second: 1))
    #expect(without.status.code == 401 && without.field("error") != nil)
    #expect(await test.send(reportText(second: 1), ["Authorization": "Bearer \(token)x"]).status.code == 401)
    #expect(await test.send(reportText(second: 1), ["Authorization": "Bearer \(token)"]).status.code == 202)
    #expect(await test.answer("GET", "/").status.code == 200)
    #expect(try Tokens(test.folder.path).remove("api"))
    #expect(await test.send(reportText(second: 2)).status.code == 202)
  }

  @Test func showsNothingToOtherMachinesWithoutAToken() async throws {
    let test = try TestDesk(.init(host: "0.0.0.0"))
    let token = try test.tokens.make("api")
    let basic = ["Authorization": "Basic " + Data(":\(token)".utf8).base64EncodedString()]
    for path in ["/", "/metrics", "/desk.css", "/groups/2-0123456789abcdef"] {
      let answer = await test.answer("GET", path)
      #expect(answer.status.code == 401 && answer.headers[.wwwAuthenticate] != nil, "\(path)")
    }
    #expect(await test.send(reportText()).status.code == 401)
    #expect(await test.answer("GET", "/", "", basic).status.code == 200)
    #expect(await test.answer("GET", "/healthz").status.code == 200)
    #expect(try test.tokens.remove("api"))
    #expect(await test.answer("GET", "/", "", basic).status.code == 401)
  }

  @Test func countsReceivedReports() async throws {
    let test = try TestDesk()
    for body in [reportText(), reportText(), "{}"] { _ = await test.send(body) }
    let text = await test.answer("GET", "/metrics").text
    for result in ["new", "known", "refused"] {
      #expect(text.contains("crashsym_desk_intake_total{result=\"\(result)\"} 1\n"))
    }
    #expect(text.contains("crashsym_desk_reports 1\n") && text.contains("crashsym_desk_groups{state=\"open\"} 1\n"))
  }
}

struct HostRuleTests {
  @Test(arguments: ["localhost", "127.0.0.1:8017", "[::1]:8017", "10.0.0.7", "desk.example", "DESK.example:80"])
  func allows(host: String) { #expect(HostRule(names: ["desk.example"]).allows(host)) }

  @Test(arguments: ["evil.example", "", "desk.example.evil", "127.0.0.1.evil", "[::1", "localhost:x", "[::1]x"])
  func refuses(host: String) { #expect(!HostRule(names: ["desk.example"]).allows(host)) }

  @Test func knowsLoopback() {
    #expect(["127.0.0.1", "127.8.9.1", "::1", "localhost"].allSatisfy(HostRule.isLoopback))
    #expect(!["0.0.0.0", "::", "10.0.0.1", "127.0.0.1.evil"].contains(where: HostRule.isLoopback))
  }
}
