import CrashReportModel
import Foundation
import GRDB
import Testing

@testable import DeskServer
@testable import DeskStore

struct CopyTests {
  private static let reports = (0..<6).map { reportText(function: "f\($0 % 2)", second: $0, message: "order \($0)") }

  /// A desk with these reports, a note and a decision.
  private static func filled() async throws -> (test: TestDesk, group: String) {
    let test = try TestDesk()
    let token = try test.tokens.make("shop")
    var groups: [String?] = []
    for report in reports {
      groups.append(await test.send(report, ["Authorization": "Bearer \(token)"]).field("fingerprint"))
    }
    let group = try #require(groups[0])
    #expect(try test.store.addNote("look at this", to: group, now: .now))
    #expect(try test.store.setState(.resolved(version: "2.0"), of: group, now: .now))
    return (test, group)
  }

  private static func check(_ path: String, _ group: String) throws {
    let folder = try DataFolder(path)
    let store = try SQLiteStore(folder) { id, _ in throw StoreError(id.text, "should be known") }
    #expect(store.unreadable.isEmpty)
    let stored = try #require(try store.group(group, now: .now))
    #expect(stored.count == 3 && stored.state == .resolved(version: "2.0"))
    #expect(try store.notes(of: group).map(\.text) == ["look at this"])
    let ids = try store.reports(of: group, limit: 9, offset: 0).map(\.id)
    #expect(try ids.map { try store.bytes(of: $0) } == [4, 2, 0].map { Array(reports[$0].utf8) })
  }

  @Test func copiesWhileADeskUsesTheData() async throws {
    let (test, group) = try await Self.filled()
    let target = test.folder.path + "-copy"
    defer { try? FileManager.default.removeItem(atPath: target) }
    // A report that a desk has removed since the moment of the copy.
    let token = try test.tokens.make("late")
    let extra = await test.send(reportText(function: "late"), ["Authorization": "Bearer \(token)"])
    let late = try #require(extra.field("id").flatMap { ReportID($0) })
    try FileManager.default.removeItem(atPath: "\(test.folder.path)/reports/\(late.text.prefix(2))/\(late.text).json")
    #expect(try DeskBackup.make(of: test.folder.path, to: target) == 6)
    try Self.check(target, group)
    #expect(try !Tokens(target).isEmpty)
    #expect(throws: StoreError(target, "it already exists")) {
      try DeskBackup.make(of: test.folder.path, to: target)
    }
    let attributes = try FileManager.default.attributesOfItem(atPath: target + "/desk.sqlite")
    #expect((attributes[.posixPermissions] as? Int).map { $0 & 0o077 } == 0)
  }

  @Test func exportsAndImportsOnce() async throws {
    let (test, group) = try await Self.filled()
    var lines: [[UInt8]] = []
    try DeskExport.lines(of: test.folder.path) { lines.append($0) }
    #expect(lines.count == 8)
    let other = TemporaryFolder()
    do {
      let describer = ReportDescriber(.init(options: .init(debugDirectories: [])))
      let store = try SQLiteStore(DataFolder(other.path)) { try describer.describe($0, $1) }
      for round in 0..<2 {
        var taken = DeskImport(store) { try describer.describe($0, $1) }
        for line in lines { try taken.take(line) }
        #expect(taken.new == (round == 0 ? 6 : 0) && taken.known == (round == 0 ? 0 : 6) && taken.groups == 1)
      }
      let total = try store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM report WHERE project = 'shop'") }
      #expect(total == 6)
      // A later decision here holds against one that is imported again.
      #expect(try store.setState(.open, of: group, now: .now.adding(days: 1)))
      var again = DeskImport(store) { try describer.describe($0, $1) }
      for line in lines { try again.take(line) }
      #expect(try store.group(group, now: .now)?.state == .open)
      #expect(try store.setState(.resolved(version: "2.0"), of: group, now: .now))
    }
    try Self.check(other.path, group)
  }

  /// Groups that were merged and split are so at another desk, for the reports of the export and for those that come later.
  @Test func exportsRulesToo() async throws {
    let (test, group) = try await Self.filled()
    let groups = try test.store.groups(.init(now: .now)).groups
    let merged = try #require(groups.first { $0.fingerprint != group }).fingerprint
    let split = GroupRule(split: group, by: .function, "f0")
    for rule in [GroupRule(merge: merged, into: group), split] { #expect(try test.store.addRule(rule, now: .now)) }
    #expect(try test.store.addNote("ours", to: split.target, now: .now))
    var lines: [[UInt8]] = []
    try DeskExport.lines(of: test.folder.path) { lines.append($0) }
    let other = TemporaryFolder()
    let describer = ReportDescriber(.init(options: .init(debugDirectories: [])))
    let store = try SQLiteStore(DataFolder(other.path)) { try describer.describe($0, $1) }
    for _ in 0..<2 {
      var taken = DeskImport(store) { try describer.describe($0, $1) }
      for line in lines { try taken.take(line) }
      #expect(taken.rules == 2 && taken.groups == 2)
      for (name, source) in [(group, test.store), (group, store), (split.target, store), (split.target, test.store)] {
        #expect(try source.group(name, now: .now)?.count == 3)
      }
      #expect(try store.notes(of: split.target).map(\.text) == ["ours"])
      #expect(try store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM rule") } == 2)
    }
    // A later rule holds against that of the export.
    let later = GroupRule(merge: merged, into: split.target)
    #expect(try store.write { try StoreRules.take(later, Timestamp.now.adding(days: 1), in: $0) })
    var again = DeskImport(store) { try describer.describe($0, $1) }
    for line in lines { try again.take(line) }
    #expect(try store.group(split.target, now: .now)?.count == 6)
    // A rule that leads back is none.
    let back = #"{"from":"\#(split.target)","to":"\#(merged)","made":"2026-11-27T10:00:00.000000Z"}"#
    #expect(throws: DeskImport.Complaint.self) { try again.take(Array(back.utf8)) }
  }

  @Test func namesLinesThatAreNotAnExport() throws {
    let folder = TemporaryFolder()
    let store = try SQLiteStore(DataFolder(folder.path)) {
      ArrivedReport(id: $0, bytes: $1, fingerprint: "", title: "", time: .now)
    }
    let head = #"{"schema":"crashsym-desk-export/1"}"#
    for lines in [
      ["x"], ["{}"], [head, "{"], [head, "{}"], [head, #"{"id":"../x","report":"a"}"#],
      [head, #"{"group":"2-0123456789abcdef","state":"muted","notes":[]}"#], [head, #"{"group":"x","state":"y"}"#],
      [head, #"{"from":"2-0123456789abcdef","to":"2-0123456789abcdee"}"#],
      [head, #"{"from":"2-0123456789abcdef","to":"2-0123456789abcdee","made":"2026-11-27T10:00:00Z","part":"x"}"#],
      [head, #"{"id":"0123456789abcdef0123456789abcdef","report":"no report"}"#],
    ] {
      var taken = DeskImport(store) { id, _ in throw StoreError(id.text, "not a report") }
      for line in lines.dropLast() { try taken.take(Array(line.utf8)) }
      #expect(throws: DeskImport.Complaint.self, "\(lines)") { try taken.take(Array(lines.last!.utf8)) }
    }
    #expect(try store.totals(now: .now).reports == 0)
  }

  @Test func showsDataThatIsReadOnly() async throws {
    let (test, group) = try await Self.filled()
    var configuration = Desk.Configuration()
    configuration.isReadOnly = true
    let store = try SQLiteStore(reading: DataFolder(reading: test.folder.path))
    let describer = ReportDescriber(.init(options: .init(debugDirectories: [])))
    let desk = try Desk(store, test.tokens, describer, configuration)
    func status(_ method: String, _ path: String) async -> Int {
      await desk.answer(
        to: .test(method, path, Array(reportText().utf8), ["Content-Type": "application/json"], "127.0.0.1")
      )
      .status.code
    }
    #expect(await status("GET", "/?state=all") == 200)
    #expect(await status("GET", "/groups/\(group)") == 200)
    for path in ["/api/reports", "/api/symbols", "/api/7/envelope/", "/groups/\(group)/notes"] {
      #expect(await status("POST", path) == 403)
    }
    #expect(throws: (any Error).self) { try store.addNote("a", to: group, now: .now) }
    let empty = TemporaryFolder()
    #expect(throws: StoreError(empty.path, "this folder does not contain the data of a desk")) {
      try DataFolder(reading: empty.path)
    }
  }
}
