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
    for second in [100, 3_700, 7_200, 86_399, 89_999, 90_001] { try store.add("one 1.0 \(second)") }
    // The last one is the hour of now, of which one second is over.
    let group = try #require(try store.group("one", second: 90_002))
    #expect(group.hours.count == 24 && group.hours.reduce(0, +) == 4)
    #expect(group.hours[23] == 1 && group.hours[22] == 1 && group.hours[21] == 1 && group.hours[0] == 1)
    #expect(group.days.count == 30 && group.days[29] == 4 && group.days[28] == 2)
    let later = try #require(try store.group("one", second: 90_002 + 29 * 86_400))
    #expect(later.hours.reduce(0, +) == 0 && later.days[0] == 4 && later.days.reduce(0, +) == 4)
    // Hours that no trend shows are taken away.
    #expect(try store.remove(Retention(), now: .init(second: 90_002 + 32 * 86_400)) == 0)
    #expect(try store.group("one", second: 90_002)?.hours.reduce(0, +) == 0)
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

  /// Of reports that are written together, one without a place takes no other one with it.
  @Test func takesManyReportsTogether() throws {
    let folder = TemporaryFolder()
    let store = try opened(folder.path)
    let reports = try (0..<20).map { number in
      let bytes = Array("one 1.0 \(number)".utf8)
      return try describe(ReportID(of: bytes), bytes)
    }
    let lost = reports[7].id
    try FileManager.default.removeItem(atPath: "\(folder.path)/reports/\(lost.text.prefix(2))")
    let kept = reports.filter { $0.id.text.prefix(2) != lost.text.prefix(2) }
    let taken = store.take(reports + reports)
    #expect(taken.count { (try? $0.get())?.acceptance == .new } == kept.count)
    #expect(taken.count { (try? $0.get())?.acceptance == .known } == kept.count)
    #expect(try store.group("one")?.count == kept.count)
    #expect(try kept.allSatisfy { try store.bytes(of: $0.id) == $0.bytes })
    #expect(try store.report(lost) == nil)
  }

  @Test func countsReportsThatAreOnlyInTheFolder() throws {
    let folder = TemporaryFolder()
    do {
      let data = try DataFolder(folder.path)
      let files = try ReportFiles(data)
      let reports = [("one 1.0 10", "first"), ("damaged", "second")]
      #expect(files.keep(reports.map { (Array($0.utf8), ReportID(key: $1)) }) == [nil, nil])
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

  @Test func opensAGroupAgainWhenItsMutingEnds() throws {
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

  @Test(arguments: ["1", "2", "3", "4", "5", "6", "7"])
  func migratesAnEarlierDatabase(version: String) throws {
    let folder = TemporaryFolder()
    let data = try DataFolder(folder.path)
    let database = try DatabaseQueue(path: data.database)
    try StoreSchema.migrator.migrate(database, upTo: version)
    try database.write { database in
      for (number, row) in [("old", "1.9"), ("late", "1.10")].enumerated() {
        try database.execute(
          sql: """
            INSERT INTO crash_group (fingerprint, title, count, first_seen, last_seen, state, decided, regressed)
            VALUES (?, 'a', 3, 0, 0, 'open', 0, FALSE)
            """, arguments: [row.0])
        for (weight, host) in [(1, "a"), (2, "b")] {
          try database.execute(
            sql: """
              INSERT INTO report (id, fingerprint, title, time, weight, is_count, program, version, host)
              VALUES (?, ?, 'a', ?, ?, FALSE, 'api', ?, ?)
              """,
            arguments: [ReportID(key: "\(number)\(host)").text, row.0, weight * 3_600_000_000, weight, row.1, host])
          try database.execute(
            sql: "INSERT INTO search (rowid, title, message) VALUES (?, 'a', ?)",
            arguments: [database.lastInsertedRowID, "word\(row.0) host\(host)"])
          guard !["1", "2", "3", "4"].contains(version) else { continue }
          var report = ArrivedReport(
            id: ReportID(key: ""), bytes: [], fingerprint: row.0, title: "a", time: .init(second: Int64(weight) * 3600))
          (report.program, report.version, report.host) = ("api", row.1, host)
          try StoreCounters.add(weight, of: report.stored, in: database)
        }
        // From then on each report was counted by its version as it came, and later by more.
        guard version != "1" else { continue }
        try StoreVersions.count(3, of: row.0, program: "api", version: row.1, in: database)
      }
    }
    try database.close()
    let store = try SQLiteStore(data, describe: describe)
    #expect(store.setAside == nil)
    #expect(try store.group("old")?.standing == .gone)
    let late = try #require(try store.group("late", second: 4 * 3_600))
    #expect(late.standing == .new && late.programs == ["api"] && late.versions == ["1.10"])
    #expect(try store.read { try Int.fetchAll($0, sql: "SELECT bytes FROM report") } == [0, 0, 0, 0])
    #expect(try store.found("wordlate hostb") == ["late"] && store.found("hosta") == ["late", "old"])
    // What a report of then lacks is not known.
    #expect(try store.reports(lacking: "aa11", after: 0).count == 4)
    #expect(late.hosts == ["b", "a"] && Array(late.hours.suffix(5)) == [0, 1, 2, 0, 0])
  }

  @Test func removesReportsThatAreNotKept() throws {
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

  @Test func keepsSoManyBytesOfEachProject() throws {
    let folder = TemporaryFolder()
    let store = try opened(folder.path)
    for second in 10..<30 {
      let bytes = Array("one 1.0 \(second)".utf8)
      var report = try describe(ReportID(of: bytes), bytes)
      report.project = second < 20 ? "shop" : second < 25 ? "api" : nil
      #expect(try store.accept(report) == .new)
    }
    // Each has 10 bytes.
    #expect(try store.remove(Retention(bytes: 100), now: .init(second: 0)) == 0)
    #expect(try store.remove(Retention(bytes: 65), now: .init(second: 0)) == 4)
    let kept = try store.reports(of: "one", limit: 99, offset: 0).map { $0.time.microseconds / 1_000_000 }
    #expect(kept == Array((14..<30).reversed()))
    #expect(try store.remove(Retention(bytes: 40), now: .init(second: 0)) == 4)
  }

  @Test func movesAReportToAnotherGroup() throws {
    let folder = TemporaryFolder()
    let store = try opened(folder.path)
    for second in [10, 20, 30] { try store.add("bare 1.0 \(second) word") }
    try store.add("other 1.0 5")
    func move(_ second: Int, to fingerprint: String) throws -> String? {
      let bytes = Array("bare 1.0 \(second) word".utf8)
      var report = try describe(ReportID(of: bytes), bytes)
      (report.fingerprint, report.title, report.words.functions) = (fingerprint, "trap in \(fingerprint)", "sell")
      return try store.update(report)
    }
    #expect(try store.addNote("mine", to: "bare", now: .init(second: 40)))
    #expect(try store.setState(.resolved(version: "9"), of: "bare", now: .init(second: 40)))
    #expect(try move(30, to: "bare") == nil)
    #expect(try move(30, to: "named") == "bare")
    let left = try #require(try store.group("bare"))
    #expect(left.count == 2 && left.lastSeen.microseconds == 20_000_000 && left.versions == ["1.0"])
    #expect(try store.group("named")?.count == 1 && store.group("named")?.state == .open)
    #expect(try store.found("sell") == ["named"])
    #expect(try move(10, to: "other") == "bare")
    #expect(try store.group("bare")?.firstSeen.microseconds == 20_000_000)
    // Notes, and a decision, follow the last report.
    #expect(try move(20, to: "named") == "bare" && store.group("bare") == nil)
    let named = try #require(try store.group("named", second: 30))
    #expect(named.count == 2 && named.state == .resolved(version: "9") && named.hours[23] == 2)
    #expect(named.firstSeen.microseconds == 20_000_000)
    #expect(try store.notes(of: "named").map(\.text) == ["mine"])
    #expect(try store.group("other")?.count == 2 && store.found("word") == ["named", "other"])
    let gone = ReportID(key: "gone")
    #expect(try store.update(describe(gone, Array("bare 1.0 1".utf8))) == nil)
  }

  @Test func findsReportsThatLackSymbols() throws {
    let folder = TemporaryFolder()
    let store = try opened(folder.path)
    for second in 0..<120 {
      let bytes = Array("one 1.0 \(second)".utf8)
      var report = try describe(ReportID(of: bytes), bytes)
      report.lacking = second % 2 == 0 ? ["aa11", "bb22"] : ["cc33"]
      #expect(try store.accept(report) == .new)
    }
    #expect(try store.reports(lacking: "bb22", after: 0).map(\.number) == Array(stride(from: 1, to: 121, by: 2)))
    #expect(try store.reports(lacking: "bb22", after: 117).map(\.number) == [119])
    #expect(try store.reports(lacking: "dd44", after: 0).isEmpty)
    try store.noteSymbols(of: "bb22")
    try store.noteSymbols(of: "bb22")
    #expect(try store.notedSymbols() == ["bb22"])
    try store.forgetSymbols(of: "bb22")
    #expect(try store.notedSymbols().isEmpty)
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
    // An accent over the quote makes one character of the two.
    #expect(try store.found("\"\u{301} OR range").isEmpty)
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
