#if Desk
  import CrashReportModel
  import GRDB

  /// Which reports are not to be kept, and how the database forgets them.
  enum StoreRetention {
    /// At most this many reports are removed at a time, so that incoming reports wait only for these.
    private static let batch = 200
    private static let day: Int64 = 86_400_000_000
    /// What has rows of a group; the group itself comes last.
    static let tablesOfGroup = ["group_version", "group_value", "group_hour", "crash_group"]

    /// Reports that are not to be kept, the oldest first: some of them, if they are many.
    static func surplus(
      _ retention: Retention, _ now: Timestamp, in database: Database
    ) throws -> [(number: Int64, id: ReportID)] {
      var rows: [Row] = []
      if let days = retention.days {
        rows = try Row.fetchAll(
          database, sql: "SELECT number, id FROM report WHERE time < ? ORDER BY time LIMIT \(batch)",
          arguments: [now.microseconds - Int64(days) * day])
      }
      if rows.isEmpty, let kept = retention.reports {
        let surplus = try Int.fetchOne(database, sql: "SELECT count(*) FROM report").map { $0 - kept } ?? 0
        rows = try Row.fetchAll(
          database, sql: "SELECT number, id FROM report ORDER BY time, number LIMIT ?",
          arguments: [max(0, min(batch, surplus))])
      }
      if rows.isEmpty, let limit = retention.bytes {
        rows = try StoreProjects.surplus(over: limit, batch: batch, in: database)
      }
      return rows.compactMap { row in ReportID(row["id"] as String).map { (row["number"], $0) } }
    }

    /// Takes reports away, and groups that have no report and of which people decided and wrote nothing.
    static func forget(_ numbers: [Int64], in database: Database) throws {
      let list = "(\(numbers.map(String.init).joined(separator: ",")))"
      try database.execute(
        sql: """
          DELETE FROM search WHERE rowid IN (SELECT \(StoreSearch.placeOfReport) FROM report WHERE number IN \(list));
          UPDATE attribute_count SET count = count - gone.number
            FROM (SELECT key, value, count(*) AS number FROM attribute WHERE report IN \(list) GROUP BY key, value) AS gone
            WHERE attribute_count.key = gone.key AND attribute_count.value = gone.value;
          DELETE FROM attribute_count WHERE count <= 0;
          DELETE FROM attribute WHERE report IN \(list);
          """)
      let groups = try String.fetchAll(
        database, sql: "SELECT DISTINCT fingerprint FROM report WHERE number IN \(list)")
      try database.execute(sql: "DELETE FROM report WHERE number IN \(list)")
      for fingerprint in groups { try forgetGroup(fingerprint, in: database) }
    }

    private static func forgetGroup(_ fingerprint: String, in database: Database) throws {
      let isOver = try Bool.fetchOne(
        database,
        sql: """
          SELECT EXISTS (SELECT 1 FROM crash_group WHERE fingerprint = :group AND state = 'open'
            AND NOT EXISTS (SELECT 1 FROM report WHERE fingerprint = :group)
            AND NOT EXISTS (SELECT 1 FROM note WHERE fingerprint = :group))
          """, arguments: ["group": fingerprint])
      guard isOver == true else { return }
      for table in tablesOfGroup {
        try database.execute(sql: "DELETE FROM \(table) WHERE fingerprint = ?", arguments: [fingerprint])
      }
    }
  }
#endif
