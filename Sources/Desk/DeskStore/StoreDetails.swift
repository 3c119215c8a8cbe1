#if Desk
  import CrashReportModel
  import GRDB

  /// What reads the database for the page of one group or of one report.
  enum StoreDetails {
    /// At most this many of a group's latest reports are compared with all reports.
    private static let sample = 500
    private static let shownValues = 10

    static func notes(of fingerprint: String, in database: Database) throws -> [Note] {
      try Row.fetchAll(
        database, sql: "SELECT time, text FROM note WHERE fingerprint = ? ORDER BY number", arguments: [fingerprint]
      ).map { Note(time: Timestamp(microsecondsSince1970: $0["time"]), text: $0["text"]) }
    }

    static func neighbours(of id: ReportID, in database: Database) throws -> Neighbours {
      guard
        let row = try Row.fetchOne(
          database, sql: "SELECT number, fingerprint, time FROM report WHERE id = ?", arguments: [id.text])
      else { return Neighbours() }
      let arguments: StatementArguments = [row["fingerprint"] as String, row["time"] as Int64, row["number"] as Int64]
      let newer = try String.fetchOne(
        database,
        sql: """
          SELECT id FROM report WHERE fingerprint = ? AND (time, number) > (?, ?) ORDER BY time, number LIMIT 1
          """, arguments: arguments)
      let older = try String.fetchOne(
        database,
        sql: """
          SELECT id FROM report WHERE fingerprint = ? AND (time, number) < (?, ?) ORDER BY time DESC, number DESC LIMIT 1
          """, arguments: arguments)
      return Neighbours(newer: newer.flatMap { ReportID($0) }, older: older.flatMap { ReportID($0) })
    }

    static func frequentValues(of fingerprint: String, in database: Database) throws -> [FrequentValue] {
      let all = try Double(Int.fetchOne(database, sql: "SELECT count(*) FROM report") ?? 0)
      let numbers = try Int64.fetchAll(
        database, sql: "SELECT number FROM report WHERE fingerprint = ? ORDER BY time DESC LIMIT \(sample)",
        arguments: [fingerprint])
      guard !numbers.isEmpty, all > Double(numbers.count) else { return [] }
      let rows = try Row.fetchAll(
        database,
        sql: """
          SELECT key, value, count(*) AS here,
            (SELECT count FROM attribute_count AS total WHERE total.key = attribute.key AND total.value = attribute.value)
              AS everywhere
          FROM attribute WHERE report IN (\(numbers.map(String.init).joined(separator: ","))) GROUP BY key, value
          """)
      let values = rows.map { row in
        FrequentValue(
          key: row["key"], value: row["value"], inGroup: Double(row["here"] as Int) / Double(numbers.count),
          inAll: Double(row["everywhere"] as Int) / all)
      }
      return Array(
        values.filter { $0.inGroup - $0.inAll >= 0.1 }.sorted {
          let (left, right) = ($0.inGroup - $0.inAll, $1.inGroup - $1.inAll)
          return left != right ? left > right : ($0.key, $0.value) < ($1.key, $1.value)
        }.prefix(shownValues))
    }

    static func totals(_ now: Timestamp, in database: Database) throws -> Totals {
      var totals = Totals()
      totals.reports = try Int.fetchOne(database, sql: "SELECT count(*) FROM report") ?? 0
      let rows = try Row.fetchAll(
        database,
        sql: "SELECT \(StoreReading.stateAt(now)) AS effective, count(*) AS count FROM crash_group GROUP BY effective")
      for row in rows { totals.groups[row["effective"]] = row["count"] }
      return totals
    }
  }
#endif
