import CrashReportModel
import Foundation
import Testing

@testable import DeskServer
@testable import DeskStore

struct GroupRuleTests {
  private static func group(_ test: TestDesk, _ fingerprint: String) throws -> StoredGroup? {
    try test.store.group(fingerprint, now: .now)
  }

  private static func send(_ test: TestDesk, _ function: String, _ seconds: Range<Int>) async throws -> String {
    var fingerprint = ""
    for second in seconds {
      let answer = await test.send(reportText(function: function, second: second))
      fingerprint = try #require(answer.field("fingerprint"))
    }
    return fingerprint
  }

  @Test func mergesAGroupAndTakesItBack() async throws {
    let test = try TestDesk()
    let one = try await Self.send(test, "one", 0..<3)
    let two = try await Self.send(test, "two", 5..<6)
    let form = try Form(await test.answer("GET", "/groups/\(one)"))
    func post(_ what: String, _ body: String, on group: String = one) async -> DeskAnswer {
      await test.answer("POST", "/groups/\(group)/\(what)", "proof=\(form.proof)&\(body)", form.headers)
    }
    #expect(await post("merge", "into=\(one)").status.code == 422)
    #expect(await post("merge", "into=other").status.code == 422)
    #expect(await post("merge", "into=2-0123456789abcdef").status.code == 422)
    #expect(await test.answer("POST", "/groups/\(one)/merge", "into=\(two)", form.headers).status.code == 403)
    // The address of a page is as good.
    let address = "http://127.0.0.1:8017/groups/\(two)".addingPercentEncoding(withAllowedCharacters: .alphanumerics)!
    let merged = await post("merge", "into=\(address)")
    #expect(merged.status.code == 303 && merged.headers[.location] == "/groups/\(two)")
    #expect(try Self.group(test, two)?.count == 4 && Self.group(test, one)?.count == 0)
    let inbox = await test.answer("GET", "/?state=all").text
    #expect(inbox.contains("1 group of crashes") && !inbox.contains("groups/\(one)"))
    // A rule that leads back is none.
    #expect(await post("merge", "into=\(one)", on: two).status.code == 422)
    // What comes later obeys the rule, also if it comes twice.
    let later = await test.send(reportText(function: "one", second: 7))
    #expect(later.field("fingerprint") == two && later.status.code == 202)
    let again = await test.send(reportText(function: "one", second: 7))
    #expect(again.field("fingerprint") == two && again.status.code == 200)
    #expect(try Self.group(test, two)?.count == 5)

    let page = await test.answer("GET", "/groups/\(one)").text
    let rule = try #require(page.firstMatch(of: /name="rule" value="([0-9]+)"/)).1
    #expect(page.contains("All reports of this group are shown in another group"))
    #expect(await test.answer("GET", "/groups/\(two)").text.contains("This group has the reports of another group"))
    #expect(await post("undo", "rule=\(rule)").headers[.location] == "/groups/\(one)")
    #expect(try Self.group(test, one)?.count == 4 && Self.group(test, two)?.count == 1)
    #expect(await test.answer("GET", "/?state=all").text.contains("2 groups of crashes"))
    #expect(await post("undo", "rule=\(rule)").status.code == 404)
  }

  @Test func splitsAGroupByAFunctionOrAFile() async throws {
    let test = try TestDesk()
    func text(_ file: String, _ second: Int) -> String {
      reportText(second: second).replacing("/src/Book.swift", with: file)
    }
    var group = ""
    for second in 0..<4 {
      let answer = await test.send(text(second.isMultiple(of: 2) ? "/src/Book.swift" : "/src/Other.swift", second))
      group = try #require(answer.field("fingerprint"))
    }
    #expect(try Self.group(test, group)?.count == 4)
    let form = try Form(await test.answer("GET", "/groups/\(group)"))
    func post(_ what: String, _ body: String, on page: String = group) async -> DeskAnswer {
      await test.answer("POST", "/groups/\(page)/\(what)", "proof=\(form.proof)&\(body)", form.headers)
    }
    #expect(await post("split", "part=line&value=7").status.code == 422)
    #expect(await post("split", "part=file&value=+").status.code == 422)
    // No report has it yet.
    #expect(await post("split", "part=file&value=Third.swift").headers[.location] == "/groups/\(group)")
    let answer = await post("split", "part=file&value=Other.swift")
    let part = try #require(answer.headers[.location]).split(separator: "/").last.map(String.init) ?? ""
    #expect(part.hasPrefix("f1-") && ReportDescriber.isFingerprint(part))
    #expect(try Self.group(test, part)?.count == 2 && Self.group(test, group)?.count == 2)
    #expect(await test.send(text("/a/Other.swift", 9)).field("fingerprint") == part)
    #expect(await test.send(text("/a/AnOther.swift", 10)).field("fingerprint") == group)
    // The function that all of them have: nothing is left.
    let all = await post("split", "part=function&value=book_price")
    let other = try #require(all.headers[.location]).split(separator: "/").last.map(String.init) ?? ""
    #expect(try Self.group(test, other)?.count == 3 && Self.group(test, group)?.count == 0)
    for rule in try test.store.rules(of: group).reversed() {
      #expect(await post("undo", "rule=\(rule.number)").status.code == 303)
    }
    #expect(try Self.group(test, group)?.count == 6)
    #expect(await test.answer("GET", "/?state=all").text.contains("1 group of crashes"))
  }

  @Test func followsAChainOfRules() async throws {
    let test = try TestDesk()
    let groups = [
      try await Self.send(test, "one", 0..<1), try await Self.send(test, "two", 1..<2),
      try await Self.send(test, "three", 2..<3),
    ]
    #expect(try test.store.addRule(.init(merge: groups[0], into: groups[1]), now: .now))
    #expect(try test.store.addRule(.init(merge: groups[1], into: groups[2]), now: .now))
    #expect(try !test.store.addRule(.init(merge: groups[2], into: groups[0]), now: .now))
    #expect(try Self.group(test, groups[2])?.count == 3)
    let first = try #require(try test.store.rules(of: groups[0]).first)
    #expect(try test.store.removeRule(first.number) != nil)
    #expect(try groups.map { try Self.group(test, $0)?.count } == [1, 0, 2])
    // A rule in the place of an earlier one.
    #expect(try test.store.addRule(.init(merge: groups[1], into: groups[0]), now: .now))
    #expect(try groups.map { try Self.group(test, $0)?.count } == [2, 0, 1])
  }
}

struct VersionTests {
  @Test func countsStartsAndCrashesOfEachVersion() async throws {
    let test = try TestDesk()
    func start(_ key: String, _ version: String) async -> Int {
      let body = #"{"schema":"crashkit-start/1","program":"api","version":"\#(version)"}"#
      let headers = ["Content-Type": "application/json", "Idempotency-Key": key]
      return await test.answer("POST", "/api/starts", body, headers).status.code
    }
    for number in 0..<10 { #expect(await start("number-\(number)", "1.9") == 202) }
    #expect(await start("number-1", "1.9") == 200)
    #expect(await start("other-number", "1.10") == 202)
    #expect(await start("short", "1.10") == 400)
    let now = Timestamp.now.text
    let old = Timestamp(microsecondsSince1970: 1_764_237_600_000_000).text
    for second in 0..<3 {
      _ = await test.send(reportText(version: "1.9", message: "\(second)").replacing(old, with: now))
    }
    let shares = try test.store.shares(now: .now)
    #expect(shares.map(\.version) == ["1.10", "1.9"] && shares.map(\.crashes) == [0, 3])
    #expect(shares[1].starts == 10 && abs(shares[1].good - 0.7) < 1e-9)
    #expect(await test.answer("GET", "/versions").text.contains("<td class=\"number\">70.0 %</td>"))
    #expect(await test.answer("POST", "/api/starts", "{}", ["Content-Type": "application/json"]).status.code == 400)
  }

  @Test func countsALiveProgramOnce() async throws {
    let test = try TestDesk()
    let id = String(repeating: "a", count: 32)
    for _ in 0..<3 { _ = await test.push(id, pushText()) }
    _ = await test.push(String(repeating: "b", count: 32), pushText())
    #expect(try test.store.shares(now: .now).map(\.starts) == [2])
  }
}

struct CodeOwnersTests {
  private static let owners = CodeOwners(
    text: """
      # all
      *            @everyone
      *.c          @c-people   # with a comment
      /Sources/App/ @app @lead
      docs/**/*.md  writers@example.com
      /Sources/App/Legacy.swift
      [Section]
      """)

  @Test(arguments: [
    ("/build/Sources/App/Main.swift", ["@app", "@lead"]), ("/build/Sources/App/Deep/Main.swift", ["@app", "@lead"]),
    ("/build/Sources/Other/Main.swift", ["@everyone"]), ("/x/list.c", ["@c-people"]),
    ("/x/docs/a/b/page.md", ["writers@example.com"]), ("/x/docs/page.md", ["writers@example.com"]),
    ("/build/Sources/App/Legacy.swift", []), ("", []), ("Sources/App/Main.swift", ["@app", "@lead"]),
  ])
  func findsOwners(path: String, owners: [String]) { #expect(Self.owners.owners(of: path) == owners) }

  @Test func areShownWithAGroup() async throws {
    var configuration = Desk.Configuration()
    configuration.owners = CodeOwners(text: "Book.swift @books <script>")
    let test = try TestDesk(configuration)
    let fingerprint = try #require(await test.send(reportText()).field("fingerprint"))
    for path in ["/", "/groups/\(fingerprint)"] {
      let page = await test.answer("GET", path).text
      #expect(page.contains("<dt>Owners</dt><dd>@books, &lt;script&gt;</dd>"))
    }
  }
}
