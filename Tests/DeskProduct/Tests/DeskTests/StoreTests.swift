import CrashReportModel
import Foundation
import GRDB
import Testing

@testable import DeskStore

/// A folder of its own for each test.
struct TemporaryFolder: ~Copyable {
  let path = NSTemporaryDirectory() + "desk-store-" + UUID().uuidString

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// The reports of these tests are a fingerprint, a version and a second, with blanks between.
private func describe(_ id: ReportID, _ bytes: [UInt8]) throws -> ArrivedReport {
  let parts = String(decoding: bytes, as: UTF8.self).split(separator: " ").map(String.init)
  guard parts.count >= 3, let second = Int64(parts[2]) else { throw StoreError(id.text, "not a report") }
  var report = ArrivedReport(
    id: id, bytes: bytes, fingerprint: parts[0], title: "trap in \(parts[0])",
    time: .init(microsecondsSince1970: second * 1_000_000))
  (report.program, report.version) = ("api", parts[1])
  report.words.message = parts.dropFirst(3).joined(separator: " ")
  return report
}

private func opened(_ path: String) throws -> SQLiteStore {
  try SQLiteStore(DataFolder(path), describe: describe)
}

extension Timestamp {
  fileprivate init(second: Int64) { self.init(microsecondsSince1970: second * 1_000_000) }
}

extension SQLiteStore {
  @discardableResult
  fileprivate func add(_ text: String) throws -> Acceptance {
    let bytes = Array(text.utf8)
    return try accept(describe(ReportID(of: bytes), bytes))
  }

  fileprivate func group(_ fingerprint: String, second: Int64 = 90_000) throws -> StoredGroup? {
    try group(fingerprint, now: .init(microsecondsSince1970: second * 1_000_000))
  }

  fileprivate func found(_ search: String) throws -> [String] {
    var query = GroupQuery(now: .init(microsecondsSince1970: 0))
    query.search = search
    return try groups(query).groups.map(\.fingerprint)
  }
}

struct StoreTests {
  @Test func knowsAReportThatComesTwice() throws {
    let folder = TemporaryFolder()
    let store = try opened(folder.path)
    #expect(try store.add("one 1.0 10") == .new)
    #expect(try store.add("one 1.0 10") == .known)
    #expect(try store.add("one 1.0 20") == .new)
    let group = try #require(try store.group("one"))
    #expect(group.count == 2)
    #expect(group.firstSeen.microseconds == 10_000_000 && group.lastSeen.microseconds == 20_000_000)
    let id = ReportID(of: Array("one 1.0 20".utf8))
    #expect(try store.bytes(of: id) == Array("one 1.0 20".utf8))
    #expect(try store.reports(of: "one", limit: 10, offset: 0).map(\.id).first == id)
  }

  @Test func countsTheHoursOfADay() throws {
    let folder = TemporaryFolder()
    let store = try opened(folder.path)
    for second in [100, 3_700, 86_300, 89_999, 90_001] { try store.add("one 1.0 \(second)") }
    let hours = try #require(try store.group("one")).hours
    #expect(hours.count == 24 && hours.reduce(0, +) == 3)
    #expect(hours[23] == 1 && hours[22] == 1 && hours[0] == 1)
  }

  @Test func makesADamagedDatabaseAgainFromTheFolder() throws {
    let folder = TemporaryFolder()
    do {
      let store = try opened(folder.path)
      for second in 1...20 { try store.add("one 1.0 \(second)") }
    }
    for name in ["desk.sqlite-wal", "desk.sqlite-shm"] {
      try? FileManager.default.removeItem(atPath: "\(folder.path)/\(name)")
    }
    try Data(repeating: 0x55, count: 20_000).write(to: URL(fileURLWithPath: folder.path + "/desk.sqlite"))
    let store = try opened(folder.path)
    let aside = try #require(store.setAside)
    #expect(FileManager.default.fileExists(atPath: aside))
    #expect(try store.group("one")?.count == 20)
    #expect(store.unreadable.isEmpty)
  }

  @Test func countsAtTheStartWhatIsInTheFolderOnly() throws {
    let folder = TemporaryFolder()
    do {
      let data = try DataFolder(folder.path)
      let files = try ReportFiles(data)
      try files.keep(Array("one 1.0 10".utf8), as: ReportID(key: "first"))
      try files.keep(Array("damaged".utf8), as: ReportID(key: "second"))
      try Data("one".utf8).write(to: URL(fileURLWithPath: "\(data.reports)/00/of-a-killed-process.part"))
    }
    let store = try opened(folder.path)
    #expect(try store.group("one")?.count == 1)
    #expect(store.unreadable.map(\.id) == [ReportID(key: "second")])
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/reports/00/of-a-killed-process.part"))
  }

  @Test func opensAGroupAgainThatRegresses() throws {
    let folder = TemporaryFolder()
    let store = try opened(folder.path)
    try store.add("one 1.9 10")
    let now = try #require(try store.report(ReportID(of: Array("one 1.9 10".utf8)))).time
    #expect(try store.setState(.resolved(version: "1.10"), of: "one", now: now))
    try store.add("one 1.9 20")
    #expect(try store.group("one")?.state == .resolved(version: "1.10"))
    try store.add("one 1.10 30")
    let group = try #require(try store.group("one"))
    #expect(group.state == .open && group.hasRegressed)
    #expect(try store.setState(.muted(until: nil), of: "one", now: now))
    try store.add("one 2.0 40")
    #expect(try store.group("one")?.state == .muted(until: nil))
    #expect(try !store.setState(.muted(until: nil), of: "other", now: now))
  }

  @Test func opensAGroupAgainThatWasMutedUntilThen() throws {
    let folder = TemporaryFolder()
    let store = try opened(folder.path)
    try store.add("one 1.0 10")
    let (before, end) = (Timestamp(second: 999), Timestamp(second: 1_000))
    #expect(try store.setState(.muted(until: end), of: "one", now: Timestamp(second: 10)))
    func listed(_ state: String, _ now: Timestamp) throws -> Int {
      var query = GroupQuery(now: now)
      query.state = state
      return try store.groups(query).total
    }
    #expect(try store.group("one", now: before)?.state == .muted(until: end))
    #expect(try listed("muted", before) == 1 && listed("open", before) == 0)
    #expect(try store.totals(now: before).groups == ["muted": 1])
    #expect(try store.group("one", now: end)?.state == .open)
    #expect(try listed("muted", end) == 0 && listed("open", end) == 1)
    #expect(try store.totals(now: end).groups == ["open": 1])
  }

  @Test func knowsWhatIsNewInAVersionAndGoneFromIt() throws {
    let folder = TemporaryFolder()
    let store = try opened(folder.path)
    func standings() throws -> [String: Standing] {
      var standings: [String: Standing] = [:]
      for standing in Standing.allCases {
        var query = GroupQuery(now: .init(second: 100))
        query.standing = standing
        for group in try store.groups(query).groups {
          standings[group.fingerprint] = standing
          #expect(group.standing == standing)
        }
      }
      return standings
    }
    try store.add("old 1.9 10")
    try store.add("both 1.9 11")
    #expect(try standings() == [:])
    try store.add("both 1.10 20")
    try store.add("late 1.10 21")
    #expect(try standings() == ["old": .gone, "late": .new])
    #expect(try store.group("old")?.newestVersion == "1.10")
    // An old version that comes late is not the newest.
    try store.add("older 1.8 30")
    #expect(try standings() == ["old": .gone, "late": .new, "older": .gone])
    try store.add("old 1.10 40")
    #expect(try standings() == ["late": .new, "older": .gone])
  }

  @Test func bringsAnEarlierDatabaseUp() throws {
    let folder = TemporaryFolder()
    let data = try DataFolder(folder.path)
    let database = try DatabaseQueue(path: data.database)
    try StoreSchema.migrator.migrate(database, upTo: "1")
    try database.write { database in
      for (number, row) in [("old", "1.9"), ("late", "1.10")].enumerated() {
        try database.execute(
          sql: """
            INSERT INTO crash_group (fingerprint, title, count, first_seen, last_seen, state, decided, regressed)
            VALUES (?, 'a', 1, 0, 0, 'open', 0, FALSE)
            """, arguments: [row.0])
        try database.execute(
          sql: """
            INSERT INTO report (id, fingerprint, title, time, weight, is_count, program, version)
            VALUES (?, ?, 'a', 0, 1, FALSE, 'api', ?)
            """, arguments: [ReportID(key: "\(number)").text, row.0, row.1])
      }
    }
    try database.close()
    let store = try SQLiteStore(data, describe: describe)
    #expect(store.setAside == nil)
    #expect(try store.group("old")?.standing == .gone)
    #expect(try store.group("late")?.standing == .new)
  }

  @Test func removesWhatIsNotKept() throws {
    let folder = TemporaryFolder()
    let store = try opened(folder.path)
    let day: Int64 = 86_400
    for number in 0..<450 { try store.add("old 1.0 \(number) stale") }
    for number in 0..<5 { try store.add("both 1.0 \(Int64(number) * day * 2) middling") }
    try store.add("noted 1.0 1 written")
    #expect(try store.addNote("keep me", to: "noted", now: .init(second: 2)))
    try store.add("muted 1.0 1 silent")
    #expect(try store.setState(.muted(until: nil), of: "muted", now: .init(second: 2)))
    #expect(try store.remove(Retention(), now: .init(second: day * 9)) == 0)
    // All of the first day, but for one of the second.
    #expect(try store.remove(Retention(days: 8), now: .init(second: day * 9)) == 453)
    #expect(try store.group("old") == nil && store.found("stale").isEmpty)
    #expect(try store.group("both")?.count == 5 && store.found("middling") == ["both"])
    #expect(try store.reports(of: "both", limit: 10, offset: 0).count == 4)
    #expect(try store.notes(of: "noted").count == 1)
    #expect(try store.group("muted")?.state == .muted(until: nil))
    let gone = ReportID(of: Array("old 1.0 7 stale".utf8))
    #expect(try store.bytes(of: gone) == nil && store.report(gone) == nil)
    #expect(try store.remove(Retention(reports: 2), now: .init(second: day * 9)) == 2)
    let kept = try store.reports(of: "both", limit: 10, offset: 0).map(\.time.microseconds)
    #expect(kept == [8, 6].map { $0 * day * 1_000_000 })
    // A report that comes again is new.
    #expect(try store.add("old 1.0 7 stale") == .new)
    #expect(try store.group("old")?.count == 1)
  }

  @Test func findsWords() throws {
    let folder = TemporaryFolder()
    let store = try opened(folder.path)
    try store.add("one 1.0 10 index out of range")
    try store.add("two 1.0 20 division by zero")
    #expect(try store.found("ind range") == ["one"])
    #expect(try store.found("") == ["two", "one"])
    #expect(try store.found("zero\" OR \"range").isEmpty)
    #expect(try store.found("\"").count <= 2)
  }

  @Test func belongsToOneUserAndOneDesk() throws {
    let folder = TemporaryFolder()
    let store = try opened(folder.path)
    try store.add("one 1.0 10")
    for case let name as String in try #require(FileManager.default.enumerator(atPath: folder.path)) {
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder.path)/\(name)")
      let mode = try #require(attributes[.posixPermissions] as? Int)
      #expect(mode & 0o077 == 0, "\(name) has mode \(String(mode, radix: 8))")
    }
    #expect(throws: StoreError(folder.path, "another crashsym desk uses it")) { try DataFolder(folder.path) }
  }
}

struct TokenTests {
  @Test func keepsHashesOnly() throws {
    let folder = TemporaryFolder()
    let data = try DataFolder(folder.path)
    let token = try Tokens(data.path).make("api")
    let tokens = try Tokens(data.path)
    #expect(tokens.contains(token) && !tokens.contains(token + "0") && !tokens.contains(""))
    #expect(try !String(contentsOfFile: data.path + "/tokens", encoding: .utf8).contains(token))
    #expect(try tokens.remove("api") && !tokens.contains(token))
    #expect(Tokens.isName("api-1") && !Tokens.isName("a b") && !Tokens.isName(""))
  }
}

struct VersionOrderTests {
  @Test(arguments: [("1.9", "1.10"), ("1.0", "1.0.1"), ("1.0-rc1", "1.0"), ("1.2 (build 9)", "1.2 (build 10)")])
  func isOlder(version: String, other: String) {
    #expect(VersionOrder.isOlder(version, than: other))
    #expect(!VersionOrder.isOlder(other, than: version))
    #expect(!VersionOrder.isOlder(version, than: version))
  }
}
