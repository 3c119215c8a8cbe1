import Foundation
import GRDB
import Synchronization
import Watcher

#if !WatcherJournal
  #error("WatcherJournal's trait is off: write .package(…, traits: [\"WatcherJournal\"]), see Docs/packages.md")
#endif

extension Watcher {
  /// Keeps threshold events, and the thresholds that a user set, in an SQLite file across launches.
  ///
  /// A damaged file is set aside under another name, and the journal starts a new file. A file from a newer version of
  /// this library stays unchanged and gives an error. You may use a journal from any thread, and in several processes
  /// at once.
  public final class Journal: Sendable {
    /// How many events are kept, and for how long. The oldest events are removed first.
    public struct Retention: Sendable, Hashable {
      /// How many events are kept, at least 1.
      public var count: Int
      /// How many seconds an event is kept.
      public var age: Double

      /// Sets the limits; the defaults are 10,000 events and 30 days.
      public init(count: Int = 10_000, age: Double = 30 * 86400) {
        self.count = max(1, count)
        self.age = age
      }
    }

    /// An error with the file.
    public struct JournalError: Error, Sendable, Hashable, CustomStringConvertible {
      /// The path of the file.
      public let path: String
      /// The reason, in words.
      public let reason: String
      /// The kind of error.
      public let kind: Kind

      /// The kind of error.
      public enum Kind: Sendable, Hashable {
        /// The file is not a journal that this version can read. It stays unchanged.
        case notOurs
        /// The file could not be opened, read or written.
        case inputOutput
      }

      init(path: String, reason: String, kind: Kind = .inputOutput) {
        self.path = path
        self.reason = reason
        self.kind = kind
      }

      /// The path and the reason.
      public var description: String { "\(path): \(reason)" }
    }

    /// If the file was damaged, opening the journal moved it to this path and made a new file. `nil` if the file was
    /// valid.
    public let setAside: String?
    /// `nil` once it is closed.
    private let database: Mutex<DatabaseQueue?>
    private let retention: Retention
    private let path: String

    /// Opens a journal. If the file is missing, makes a file that only this user can read.
    ///
    /// - Throws: ``JournalError``.
    public init(path: String, retention: Retention = .init()) throws {
      self.path = path
      self.retention = retention
      let opened: DatabaseQueue
      (opened, setAside) = try JournalFile.open(path)
      database = Mutex(opened)
    }

    /// Writes an event, and removes events beyond the limits.
    ///
    /// - Throws: ``JournalError``.
    public func record(_ event: MetricThresholdEvent) throws {
      try write { database in
        try database.execute(
          sql: """
            INSERT INTO event (date, metric, unit, state, value, threshold) VALUES (?, ?, ?, ?, ?, ?)
            """,
          arguments: [
            event.date, event.metric.name, event.metric.unit.rawValue, event.state.rawValue, event.value,
            event.threshold,
          ])
        try database.execute(sql: "DELETE FROM event WHERE date < ?", arguments: [event.date - retention.age])
        try database.execute(
          sql: """
            DELETE FROM event WHERE id <= (SELECT id FROM event ORDER BY id DESC LIMIT 1 OFFSET ?)
            """, arguments: [retention.count])
      }
    }

    /// Returns events, the newest first.
    ///
    /// - Parameters:
    ///   - limit: The highest number of events to return.
    ///   - nominal: Whether the result includes events about a return to the state nominal.
    /// - Throws: ``JournalError``.
    public func events(limit: Int = 100, nominal: Bool = true) throws -> [MetricThresholdEvent] {
      try read { database in
        let filter = nominal ? "" : "WHERE state != 'nominal'"
        let rows = try Row.fetchAll(
          database, sql: "SELECT * FROM event \(filter) ORDER BY date DESC, id DESC LIMIT ?", arguments: [max(0, limit)]
        )
        return rows.compactMap(Self.event)
      }
    }

    /// Keeps the threshold of a metric for the next launch.
    ///
    /// - Throws: ``JournalError``.
    public func keepThreshold(_ threshold: Double, of metric: Metric) throws {
      try write { database in
        try database.execute(
          sql: "INSERT OR REPLACE INTO threshold (metric, value) VALUES (?, ?)", arguments: [metric.name, threshold])
      }
    }

    /// The stored threshold of a metric; `nil` if there is none.
    ///
    /// - Throws: ``JournalError``.
    public func threshold(of metric: Metric) throws -> Double? {
      try read { database in
        let row = try Row.fetchOne(
          database, sql: "SELECT value FROM threshold WHERE metric = ?", arguments: [metric.name])
        return row.flatMap { Double.fromDatabaseValue($0["value"]) }
      }
    }

    /// Closes the file after all current reads and writes. Later calls throw.
    public func close() {
      // GRDB closes with the last reference. Its own `close()` lets a late reader crash.
      _ = database.withLock { $0.take() }
    }

    /// `nil` for a row that no version of ours wrote: SQLite keeps a text in a column of numbers too.
    private static func event(_ row: Row) -> MetricThresholdEvent? {
      guard let date = Double.fromDatabaseValue(row["date"]),
        let threshold = Double.fromDatabaseValue(row["threshold"]),
        let unit = String.fromDatabaseValue(row["unit"]).flatMap(Metric.Unit.init(rawValue:)),
        let state = String.fromDatabaseValue(row["state"]).flatMap(ThresholdState.init(rawValue:)),
        let metric = String.fromDatabaseValue(row["metric"])
      else { return nil }
      let value: DatabaseValue = row["value"]
      return MetricThresholdEvent(
        date: date, state: state, value: Double.fromDatabaseValue(value), metric: Metric(metric, unit: unit),
        threshold: threshold)
    }

    private func connection() throws -> DatabaseQueue {
      guard let database = database.withLock({ $0 }) else { throw JournalError(path: path, reason: "it was closed") }
      return database
    }

    private func write(_ body: (Database) throws -> Void) throws {
      let database = try connection()
      do { try database.write(body) } catch { throw JournalError(path: path, reason: String(describing: error)) }
    }

    private func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
      let database = try connection()
      do { return try database.read(body) } catch { throw JournalError(path: path, reason: String(describing: error)) }
    }
  }
}
