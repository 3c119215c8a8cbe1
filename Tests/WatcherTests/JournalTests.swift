import Foundation
import GRDB
import Synchronization
import Testing

@testable import Watcher
@testable import WatcherJournal

@Suite struct JournalTests {
  private let fake: FakeRoot
  private var path: String { fake.path + "/events.sqlite" }

  init() throws { fake = try FakeRoot() }

  private func event(_ date: Double, _ state: Watcher.ThresholdState = .critical) -> Watcher.MetricThresholdEvent {
    Watcher.MetricThresholdEvent(date: date, state: state, value: 0.9, metric: .cpuLoad, threshold: 0.8)
  }

  @Test func eventsAndThresholdsOutliveALaunch() throws {
    do {
      let journal = try Watcher.Journal(path: path)
      try journal.record(event(1))
      try journal.record(event(2, .nominal))
      try journal.keepThreshold(0.55, of: .cpuLoad)
    }
    let journal = try Watcher.Journal(path: path)
    #expect(journal.setAside == nil)
    #expect(try journal.events() == [event(2, .nominal), event(1)])
    #expect(try journal.events(nominal: false) == [event(1)])
    #expect(try journal.threshold(of: .cpuLoad) == 0.55)
    #expect(try journal.threshold(of: .memoryLoad) == nil)
    // SQLite may be done with its two other files.
    let files = ["", "-wal", "-shm"].filter { $0.isEmpty || FileManager.default.fileExists(atPath: path + $0) }
    for file in files {
      let attributes = try FileManager.default.attributesOfItem(atPath: path + file)
      #expect(attributes[.posixPermissions] as? Int == 0o600, "\(file)")
    }
  }

  @Test func countAndAgeAreBounded() throws {
    let journal = try Watcher.Journal(path: path, retention: .init(count: 3, age: 100))
    for date in 1...5 { try journal.record(event(Double(date))) }
    #expect(try journal.events().map(\.date) == [5, 4, 3])
    try journal.record(event(104))
    #expect(try journal.events().map(\.date) == [104, 5, 4])
  }

  @Test(arguments: [0, 20, 4096]) func aDamagedFileIsSetAside(_ position: Int) throws {
    do {
      let journal = try Watcher.Journal(path: path)
      for date in 1...50 { try journal.record(event(Double(date))) }
    }
    var bytes = try Data(contentsOf: URL(filePath: path))
    try #require(bytes.count > position + 500)
    for offset in position..<position + 500 { bytes[offset] = 0xa5 }
    try bytes.write(to: URL(filePath: path))
    let journal = try Watcher.Journal(path: path)
    let aside = try #require(journal.setAside)
    #expect(try Data(contentsOf: URL(filePath: aside)) == bytes)
    #expect(try journal.events().isEmpty)
    try journal.record(event(1))
    #expect(try journal.events().count == 1)
  }

  /// The file is a sound database, but its tables are not those that its version promises.
  @Test(arguments: [
    "DROP TABLE event", "DROP TABLE threshold", "ALTER TABLE event RENAME COLUMN date TO day",
    "ALTER TABLE threshold DROP COLUMN value", "DROP TABLE event; CREATE VIEW event AS SELECT 1 AS date",
    "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = 'CREATE TABLE event (' WHERE name = 'event'",
  ])
  func aDamagedSchemaIsSetAside(_ damage: String) throws {
    do { try Watcher.Journal(path: path).record(event(1)) }
    do {
      let database = try DatabaseQueue(path: path)
      try database.writeWithoutTransaction { try $0.execute(sql: damage) }
      try database.close()
    }
    let journal = try Watcher.Journal(path: path)
    let aside = try #require(journal.setAside)
    #expect(FileManager.default.fileExists(atPath: aside))
    #expect(try journal.events().isEmpty)
    try journal.record(event(2))
    try journal.keepThreshold(0.5, of: .cpuLoad)
    #expect(try journal.events() == [event(2)])
  }

  /// SQLite keeps any value in any column.
  @Test func rowsOfTheWrongTypesAreLeftOut() throws {
    let journal = try Watcher.Journal(path: path)
    try journal.record(event(1))
    try journal.keepThreshold(0.5, of: .cpuLoad)
    let database = try DatabaseQueue(path: path)
    try database.write { database in
      for column in ["date", "unit", "state", "metric", "threshold"] {
        try database.execute(
          sql: """
            INSERT INTO event (date, metric, unit, state, value, threshold) VALUES (2, 'a', 'ratio', 'nominal', 1, 1)
            """)
        let row = database.lastInsertedRowID
        try database.execute(sql: "UPDATE event SET \(column) = x'ff' WHERE id = ?", arguments: [row])
      }
      try database.execute(sql: "UPDATE threshold SET value = 'high'")
    }
    #expect(try journal.events() == [event(1)])
    #expect(try journal.threshold(of: .cpuLoad) == nil)
  }

  @Test(arguments: ["x", "a log\nthat somebody kept\n"]) func aTextIsLeftAlone(_ text: String) throws {
    try Data(text.utf8).write(to: URL(filePath: path))
    let error = #expect(throws: Watcher.Journal.JournalError.self) { try Watcher.Journal(path: path) }
    #expect(error?.kind == .notOurs)
    #expect(try Data(contentsOf: URL(filePath: path)) == Data(text.utf8))
  }

  @Test func aFileOfANewerVersionIsLeftAlone() throws {
    do { _ = try Watcher.Journal(path: path) }
    let database = try DatabaseQueue(path: path)
    try database.write { try $0.execute(sql: "PRAGMA user_version = 9") }
    try database.close()
    let reason = "made by a newer version: its format is 9, and this version reads up to 1"
    #expect(throws: Watcher.Journal.JournalError(path: path, reason: reason, kind: .notOurs)) {
      try Watcher.Journal(path: path)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: fake.path).allSatisfy { !$0.contains("damaged") })
  }

  @Test func noLinkIsFollowed() throws {
    try fake.write("mine", to: "/other")
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: fake.path + "/other")
    #expect(throws: Watcher.Journal.JournalError.self) { try Watcher.Journal(path: path) }
    #expect(try String(contentsOfFile: fake.path + "/other", encoding: .utf8) == "mine")
    #expect(throws: Watcher.Journal.JournalError(path: fake.path, reason: "Is a directory")) {
      try Watcher.Journal(path: fake.path)
    }
  }
}

@Suite struct JournalKeeperTests {
  private let fake: FakeRoot
  private var path: String { fake.path + "/events.sqlite" }

  init() throws { fake = try FakeRoot() }

  private func manager(_ levels: [Double]) -> Watcher.MetricManager {
    Watcher.MetricManager(metricProvider: ScriptedProvider(levels: levels), threshold: 0.8)
  }

  @Test func eventsAreSavedAutomaticallyAndThresholdsReturn() async throws {
    let first = manager([0.9])
    let events = Watcher.EventProvider()
    events.register(first, for: .cpuLoad)
    let keeper = try Watcher.JournalKeeper(Watcher.Journal(path: path), events: events, managers: [first])
    _ = await first.fetch()
    while try keeper.journal.events().isEmpty { await Task.yield() }
    first.threshold = 0.95
    while try keeper.journal.threshold(of: .cpuLoad) == nil { await Task.yield() }
    while try keeper.journal.events().count < 2 { await Task.yield() }
    #expect(try keeper.journal.events().map(\.state) == [.nominal, .critical])

    let second = manager([0.9])
    let again = try Watcher.JournalKeeper(Watcher.Journal(path: path), events: .init(), managers: [second])
    #expect(second.threshold == 0.95)
    #expect(try again.journal.events().count == 2)
  }

  /// What had come when it was closed is kept, and nothing is left beside the file.
  @Test func closingWritesPendingEvents() throws {
    let watched = manager([0.9])
    let events = Watcher.EventProvider()
    events.register(watched, for: .cpuLoad)
    let keeper = try Watcher.JournalKeeper(Watcher.Journal(path: path), events: events, managers: [watched])
    for step in 1...50 { watched.threshold = 0.5 + Double(step) / 1000 }
    keeper.close()
    keeper.close()
    #expect(FileManager.default.fileExists(atPath: path + "-wal") == false)
    #expect(throws: Watcher.Journal.JournalError.self) { try keeper.journal.events() }
    let kept = try Watcher.Journal(path: path)
    #expect(try kept.threshold(of: .cpuLoad) == 0.55)
    #expect(FileManager.default.fileExists(atPath: path + "-wal"))
  }

  /// All threads that tasks share may wait in `close()` at once: those that have to write are others.
  @Test func tasksMayCloseIt() async throws {
    let watched = manager([0.9])
    let keeper = try Watcher.JournalKeeper(Watcher.Journal(path: path), events: .init(), managers: [watched])
    for step in 1...50 { watched.threshold = 0.5 + Double(step) / 1000 }
    let meeting = Meeting(of: ProcessInfo.processInfo.activeProcessorCount)
    await withTaskGroup { group in
      for _ in 0..<meeting.size { group.addTask { Self.close(keeper, meeting) } }
    }
    #expect(try Watcher.Journal(path: path).threshold(of: .cpuLoad) == 0.55)
  }

  private static func close(_ keeper: Watcher.JournalKeeper, _ meeting: Meeting) {
    meeting.wait()
    keeper.close()
  }

  /// Where threads wait for each other, for a while: other tests may have taken some of them.
  private final class Meeting: Sendable {
    let size: Int
    private let missing: Mutex<Int>
    private let gate = DispatchSemaphore(value: 0)

    init(of size: Int) {
      self.size = size
      missing = Mutex(size)
    }

    func wait() {
      let isLast = missing.withLock { missing in
        missing -= 1
        return missing == 0
      }
      if isLast {
        for _ in 1..<size { gate.signal() }
      } else {
        _ = gate.wait(timeout: .now() + .seconds(2))
      }
    }
  }

  /// A disk that is full, or a file that another program keeps to itself.
  @Test func aFailureToWriteIsReported() async throws {
    let watched = manager([0.9])
    let keeper = try Watcher.JournalKeeper(Watcher.Journal(path: path), events: .init(), managers: [watched])
    #expect(keeper.trouble == nil)
    let other = try DatabaseQueue(path: path)
    try await other.write { try $0.execute(sql: "DROP TABLE threshold") }
    watched.threshold = 0.6
    while keeper.trouble == nil { await Task.yield() }
    #expect(keeper.trouble?.contains("no such table") == true)
    try await other.write {
      try $0.execute(sql: "CREATE TABLE threshold (metric TEXT PRIMARY KEY, value REAL NOT NULL)")
    }
    watched.threshold = 0.7
    while keeper.trouble != nil { await Task.yield() }
  }

  /// A threshold that is kept after it does not hide an event that was not.
  @Test func anEventThatFailsIsReportedAfterAThresholdThatWorks() async throws {
    let watched = manager([0.9])
    let events = Watcher.EventProvider()
    events.register(watched, for: .cpuLoad)
    let keeper = try Watcher.JournalKeeper(Watcher.Journal(path: path), events: events, managers: [watched])
    try await DatabaseQueue(path: path).write {
      try $0.execute(sql: "CREATE TRIGGER refuses BEFORE INSERT ON event BEGIN SELECT RAISE(ABORT, 'it refuses'); END")
    }
    _ = await watched.fetch()
    while keeper.trouble == nil { await Task.yield() }
    // They are no events: the value is above each. Once the second is in the file, all is done that the first brings.
    for threshold in [0.85, 0.86] {
      watched.threshold = threshold
      while try keeper.journal.threshold(of: .cpuLoad) != threshold { await Task.yield() }
    }
    #expect(keeper.trouble?.contains("it refuses") == true)
  }

  @Test func aDatabaseOfAnotherProgramIsLeftAlone() throws {
    let database = try DatabaseQueue(path: path)
    try database.write { try $0.execute(sql: "CREATE TABLE theirs (x)") }
    try database.close()
    let before = try Data(contentsOf: URL(filePath: path))
    let reason = "a database of another program"
    #expect(throws: Watcher.Journal.JournalError(path: path, reason: reason, kind: .notOurs)) {
      try Watcher.Journal(path: path)
    }
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
  }
}
