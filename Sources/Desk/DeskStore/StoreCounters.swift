#if Desk
  import CrashReportModel
  import GRDB

  /// The counts that a group's row shows. They are updated with each report, so that no page has to read the reports.
  enum StoreCounters {
    /// The names that are counted.
    enum Kind: String {
      case program, version, host
    }

    private static let hour: Int64 = 3_600_000_000
    /// No trend goes back further.
    private static let keptHours: Int64 = 31 * 24

    static let tables = """
      CREATE TABLE group_value (
        fingerprint TEXT NOT NULL REFERENCES crash_group (fingerprint), kind TEXT NOT NULL, value TEXT NOT NULL,
        count INTEGER NOT NULL, PRIMARY KEY (fingerprint, kind, value)) WITHOUT ROWID;
      CREATE TABLE group_hour (
        fingerprint TEXT NOT NULL REFERENCES crash_group (fingerprint), hour INTEGER NOT NULL, count INTEGER NOT NULL,
        PRIMARY KEY (fingerprint, hour)) WITHOUT ROWID;
      """

    /// Counts the reports of a database that had no counters.
    static func countAll(in database: Database) throws {
      for kind in [Kind.program, .version, .host] {
        try database.execute(
          sql: """
            INSERT INTO group_value (fingerprint, kind, value, count)
            SELECT fingerprint, ?, \(kind.rawValue), sum(weight) FROM report WHERE \(kind.rawValue) IS NOT NULL
            GROUP BY fingerprint, \(kind.rawValue)
            """, arguments: [kind.rawValue])
      }
      try database.execute(
        sql: """
          INSERT INTO group_hour (fingerprint, hour, count)
          SELECT fingerprint, time / \(hour), sum(weight) FROM report GROUP BY fingerprint, time / \(hour)
          """)
    }

    /// Counts a report, or takes it back with a negative weight.
    static func add(_ weight: Int, of report: StoredReport, in database: Database) throws {
      let values = [(Kind.program, report.program), (.version, report.version), (.host, report.host)]
      for (kind, value) in values {
        guard let value else { continue }
        try database.cachedStatement(
          sql: """
            INSERT INTO group_value (fingerprint, kind, value, count) VALUES (?, ?, ?, ?)
            ON CONFLICT (fingerprint, kind, value) DO UPDATE SET count = count + excluded.count
            """
        ).execute(arguments: [report.fingerprint, kind.rawValue, value, weight])
      }
      try database.cachedStatement(
        sql: """
          INSERT INTO group_hour (fingerprint, hour, count) VALUES (?, ?, ?)
          ON CONFLICT (fingerprint, hour) DO UPDATE SET count = count + excluded.count
          """
      ).execute(arguments: [report.fingerprint, report.time.microseconds / hour, weight])
    }

    /// The most frequent names come first.
    static func names(
      _ kind: Kind, of fingerprint: String, limit: Int, in database: Database
    ) throws -> [String] {
      try String.fetchAll(
        database.cachedStatement(
          sql: """
            SELECT value FROM group_value WHERE fingerprint = ? AND kind = ? AND count > 0
            ORDER BY count DESC, value LIMIT ?
            """), arguments: [fingerprint, kind.rawValue, limit])
    }

    /// How many crashes each of the last spans of so many hours has, the oldest first. The last one ends with the hour that
    /// `now` is in.
    static func trend(
      of fingerprint: String, _ now: Timestamp, spans: Int, hours: Int64, in database: Database
    ) throws -> [Int] {
      var counts = [Int](repeating: 0, count: spans)
      guard spans > 0 else { return counts }
      let last = now.microseconds / hour
      let rows = try Row.fetchAll(
        database.cachedStatement(
          sql: """
            SELECT (? - hour) / ? AS ago, sum(count) AS crashes FROM group_hour
            WHERE fingerprint = ? AND hour > ? AND hour <= ? GROUP BY ago
            """), arguments: [last, hours, fingerprint, last - Int64(spans) * hours, last])
      for row in rows {
        let ago: Int = row["ago"]
        counts[spans - 1 - ago] = row["crashes"]
      }
      return counts
    }

    /// Takes away hours that no trend shows any more.
    static func forgetHours(before now: Timestamp, in database: Database) throws {
      try database.execute(
        sql: "DELETE FROM group_hour WHERE hour < ?", arguments: [now.microseconds / hour - keptHours])
    }
  }
#endif
