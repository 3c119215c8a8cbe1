import CrashReportModel
import Foundation
import HTTPTypes
import Testing

@testable import DeskServer
@testable import DeskStore

/// The proof in a page's form and the cookie that came with it.
struct Form {
  let cookie: String
  let proof: String

  init(_ answer: DeskAnswer) throws {
    cookie = String(try #require(answer.headers[.setCookie]?.split(separator: ";").first))
    let mark = "name=\"proof\" value=\""
    let start = try #require(answer.text.range(of: mark)).upperBound
    proof = String(answer.text[start...].prefix { $0 != "\"" })
  }

  var headers: [String: String] { ["Content-Type": "application/x-www-form-urlencoded", "Cookie": cookie] }
}

struct PageTests {
  @Test func showsGroups() async throws {
    let test = try TestDesk()
    for second in 0..<3 { _ = await test.send(reportText(version: "1.\(second)", second: second)) }
    _ = await test.send(reportText(function: "transfer", message: "account is closed"))
    let inbox = await test.answer("GET", "/")
    #expect(inbox.status.code == 200 && inbox.headers[.contentType] == "text/html; charset=utf-8")
    #expect(inbox.text.contains("2 groups of crashes"))
    for words in ["book_price", "transfer", "3 crashes", "1 crash<", "1.2", "web-1", "<svg class=\"trend\""] {
      #expect(inbox.text.contains(words), "\(words)")
    }
    let found = await test.answer("GET", "/?state=all&q=account+closed").text
    #expect(found.contains("transfer") && !found.contains("book_price"))
    #expect(await test.answer("GET", "/?state=muted").text.contains("There is nothing here."))
    #expect(await test.answer("GET", "/?q=%22nothing%22&page=zzz").text.contains("No report has all of these words."))
  }

  @Test(arguments: [
    "OrderBook.price(of:)", "orderbook", "book", "Book.price", "price", "pri", "BookFile.swift", "file.swift", "server",
  ])
  func findsPartsOfNames(words: String) async throws {
    let test = try TestDesk()
    let file = "/src/Book.swift"
    let wanted = reportText(function: "HTTPServer.OrderBook.price(of:)", message: "none")
    _ = await test.send(wanted.replacing(file, with: "/src/BookFile.swift"))
    _ = await test.send(reportText(function: "transfer", message: "none").replacing(file, with: "/src/Main.swift"))
    let query = words.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    let found = await test.answer("GET", "/?state=all&q=\(query)").text
    #expect(found.contains("1 group of crashes") && !found.contains("transfer"))
  }

  @Test func showsWhatIsNewAndGone() async throws {
    let test = try TestDesk()
    _ = await test.send(reportText(function: "earlier", version: "1.0", message: "a"))
    _ = await test.send(reportText(function: "later", version: "2.0", message: "b"))
    let (new, gone) = (await test.answer("GET", "/?state=new").text, await test.answer("GET", "/?state=gone").text)
    #expect(new.contains("later") && new.contains("new in 2.0") && !new.contains("earlier"))
    #expect(gone.contains("earlier") && gone.contains("not seen in 2.0") && !gone.contains("later"))
  }

  @Test func showsAGroupAndItsReports() async throws {
    let test = try TestDesk()
    var ids: [String] = []
    for second in 0..<3 {
      let answer = await test.send(reportText(second: second, attributes: ["tenant": "blue"]))
      ids.append(try #require(answer.field("id")))
    }
    for second in 0..<9 { _ = await test.send(reportText(function: "transfer", second: second)) }
    let id = try #require(ReportID(ids[1]))
    let fingerprint = try #require(try test.store.report(id)).fingerprint
    let page = await test.answer("GET", "/groups/\(fingerprint)").text
    #expect(page.contains("<td>tenant</td><td>blue</td><td class=\"number\">100 %</td><td class=\"number\">25 %</td>"))
    #expect(!page.contains("<td>architecture</td>"))
    #expect(ids.allSatisfy { page.contains("/reports/\($0)") })
    let report = await test.answer("GET", "/reports/\(id.text)").text
    for words in ["book_price", "Book.swift", "no such order", "/reports/\(ids[0])", "/reports/\(ids[2])"] {
      #expect(report.contains(words), "\(words)")
    }
    let raw = await test.answer("GET", "/reports/\(id.text)/raw.json")
    #expect(try test.store.bytes(of: id) == raw.body)
    let scrubbed = await test.answer("GET", "/reports/\(id.text)/scrubbed.json").text
    #expect(scrubbed.contains("[scrubbed]") && !scrubbed.contains("blue"))
  }

  @Test func changesAStateByAFormOfItsOwnAlone() async throws {
    let test = try TestDesk()
    let fingerprint = try #require(await test.send(reportText(version: "1.0")).field("fingerprint"))
    let path = "/groups/\(fingerprint)"
    let form = try Form(await test.answer("GET", path))
    let body = "state=resolved&version=2.0&proof=\(form.proof)"
    func state() throws -> GroupState? { try test.store.group(fingerprint, now: .now)?.state }

    var without = form.headers
    without["Cookie"] = nil
    #expect(await test.answer("POST", path + "/state", body, without).status.code == 403)
    #expect(await test.answer("POST", path + "/state", "state=muted&proof=0", form.headers).status.code == 403)
    let foreign = form.headers.merging(["Origin": "https://evil.example"]) { $1 }
    #expect(await test.answer("POST", path + "/state", body, foreign).status.code == 403)
    let plain = form.headers.merging(["Content-Type": "text/plain"]) { $1 }
    #expect(await test.answer("POST", path + "/state", body, plain).status.code == 415)
    #expect(try state() == .open)

    let own = form.headers.merging(["Origin": "http://127.0.0.1:8017"]) { $1 }
    let answer = await test.answer("POST", path + "/state", body, own)
    #expect(answer.status.code == 303 && answer.headers[.location] == path)
    #expect(try state() == .resolved(version: "2.0"))
    _ = await test.send(reportText(version: "1.5", second: 1))
    #expect(try state() == .resolved(version: "2.0"))
    _ = await test.send(reportText(version: "2.0", second: 2))
    #expect(try state() == .open)
    #expect(await test.answer("GET", "/").text.contains("came back"))
    let mute = "state=muted&proof=\(form.proof)&days="
    #expect(await test.answer("POST", path + "/state", mute + "0", form.headers).status.code == 422)
    #expect(await test.answer("POST", path + "/state", mute + "7", form.headers).status.code == 303)
    guard case .muted(let end?) = try state() else { throw StoreError(path, "not muted for a time") }
    #expect(end > Timestamp.now.adding(days: 6) && end <= Timestamp.now.adding(days: 7))
    #expect(await test.answer("GET", path).text.contains("muted until"))
    #expect(await test.answer("POST", path + "/state", mute, form.headers).status.code == 303)
    #expect(try state() == .muted(until: nil))
    #expect(
      await test.answer("POST", path + "/state", "state=other&proof=\(form.proof)", form.headers).status.code == 422)
  }

  @Test func keepsNotes() async throws {
    let test = try TestDesk()
    let fingerprint = try #require(await test.send(reportText()).field("fingerprint"))
    let path = "/groups/\(fingerprint)"
    let form = try Form(await test.answer("GET", path))
    let body = "text=first+line%0D%0A%3Cb%3Esecond%3C%2Fb%3E&proof=\(form.proof)"
    #expect(await test.answer("POST", path + "/notes", body, form.headers).status.code == 303)
    #expect(try test.store.notes(of: fingerprint).map(\.text) == ["first line\n<b>second</b>"])
    #expect(await test.answer("GET", path).text.contains("first line\n&lt;b&gt;second&lt;/b&gt;"))
    #expect(await test.answer("POST", path + "/notes", "text=+&proof=\(form.proof)", form.headers).status.code == 422)
    let other = "/groups/2-0123456789abcdef/notes"
    #expect(await test.answer("POST", other, body, form.headers).status.code == 404)
  }

  @Test func marksAPageThatIsOutOfDate() async throws {
    let test = try TestDesk()
    func mark(_ text: String) -> String? { text.firstMatch(of: /data-live="([^"]+)"/).map { String($0.1) } }
    func announced() async throws -> String? {
      let answer = await test.answer("GET", "/events")
      let events = try #require(answer.events)
      for await text in try events().texts {
        return text.firstMatch(of: /^event: mark\ndata: (.+)\n\n$/).map { String($0.1) }
      }
      return nil
    }
    let before = mark(await test.answer("GET", "/").text)
    let first = try await announced()
    #expect(before != nil && before == first)
    let fingerprint = try #require(await test.send(reportText()).field("fingerprint"))
    let second = try await announced()
    #expect(second != before)
    // A report that is known changes nothing.
    _ = await test.send(reportText())
    let (inbox, group) = (await test.answer("GET", "/").text, await test.answer("GET", "/groups/\(fingerprint)").text)
    #expect(mark(inbox) == second && mark(group) == second)
    let other = await test.answer("GET", "/other").text
    #expect(mark(other) == nil)
    // The desk forgets a browser that no longer listens.
    #expect(test.desk.live.count == 0)
  }

  @Test func answersHeadAsGet() async throws {
    let test = try TestDesk()
    for path in ["/", "/healthz", "/desk.css", "/other"] {
      let (head, get) = (await test.answer("HEAD", path), await test.answer("GET", path))
      #expect(head.status == get.status && head.headers == get.headers, "\(path)")
    }
    #expect(await test.answer("HEAD", "/api/reports").status.code == 404)
  }

  @Test(arguments: [
    "/groups/other", "/groups/2-0123456789abcdef", "/reports/0123", "/reports/" + String(repeating: "0", count: 32),
    "/reports/" + String(repeating: "0", count: 32) + "/raw.json", "/reports/..%2f..%2ftokens", "/tokens",
    "/desk.sqlite",
    "/reports/../tokens", "/api/other", "/groups/2-0123456789abcdef/state",
  ])
  func hasNoOtherPages(path: String) async throws {
    let test = try TestDesk()
    _ = try test.tokens.make("api")
    #expect(await test.answer("GET", path).status.code == 404)
  }

  @Test func allowsNoScriptButItsOwnAndNoFrames() async throws {
    let test = try TestDesk()
    for path in ["/", "/desk.css", "/metrics", "/other", "/api/other"] {
      let headers = await test.answer("GET", path).headers
      let policy = try #require(headers[.contentSecurityPolicy])
      #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
      #expect(policy.contains("script-src 'self';") && !policy.contains("unsafe"))
      #expect(headers[.xContentTypeOptions] == "nosniff")
    }
    let form = await test.send(reportText())
    let cookie = await test.answer("GET", "/groups/\(form.field("fingerprint") ?? "")").headers[.setCookie]
    #expect(cookie?.contains("HttpOnly; SameSite=Strict") == true)
  }
}
