#if Desk
  import CrashReportModel
  import GRDB

  /// What reads the database.
  enum StoreReading {
    /// So many programs, versions and hosts of a group are named.
    private static let namedOnes = 5
    private static let hour: Int64 = 3_600_000_000

    static func groups(_ query: GroupQuery, in database: Database) throws -> GroupList {
      // What a rule moved elsewhere is in no list.
      var conditions = ["state <> 'merged'"]
      var arguments = StatementArguments()
      if let state = query.state {
        conditions.append("\(stateAt(query.now)) = ?")
        arguments += [state]
      }
      if let standing = query.standing { conditions.append(StoreVersions.condition(standing)) }
      if let pattern = pattern(query.search) {
        conditions.append(
          """
          fingerprint IN (SELECT fingerprint FROM report
            WHERE number IN (SELECT rowid FROM search WHERE search MATCH ?))
          """)
        arguments += [pattern]
      }
      let filter = "WHERE " + conditions.joined(separator: " AND ")
      let total = try Int.fetchOne(
        database, sql: "SELECT count(*) FROM crash_group \(filter)", arguments: arguments)
      let rows = try Row.fetchAll(
        database,
        sql: "SELECT * FROM crash_group \(filter) ORDER BY last_seen DESC, fingerprint LIMIT ? OFFSET ?",
        arguments: arguments + [query.limit, query.offset])
      return GroupList(groups: try rows.map { try group($0, query.now, in: database) }, total: total ?? 0)
    }

    static func group(_ fingerprint: String, _ now: Timestamp, in database: Database) throws -> StoredGroup? {
      try Row.fetchOne(database, sql: "SELECT * FROM crash_group WHERE fingerprint = ?", arguments: [fingerprint])
        .map { try group($0, now, in: database) }
    }

    /// SQL's expression for a group's state at a time: what was muted until then is open.
    static func stateAt(_ now: Timestamp) -> String {
      "CASE WHEN state = 'muted' AND muted_until <= \(now.microseconds) THEN 'open' ELSE state END"
    }

    /// Each word that was typed, quoted, so that no word has a meaning for FTS5. `nil` if there is no word.
    private static func pattern(_ text: String) -> String? {
      let words = text.split(whereSeparator: \.isWhitespace).prefix(20)
      guard !words.isEmpty else { return nil }
      return words.map { "\"\($0.filter { $0 != "\"" && $0 != "\0" })\"*" }.joined(separator: " ")
    }

    private static func group(_ row: Row, _ now: Timestamp, in database: Database) throws -> StoredGroup {
      let fingerprint: String = row["fingerprint"]
      let (standing, newest) = try StoreVersions.standing(of: fingerprint, in: database)
      return StoredGroup(
        fingerprint: fingerprint, title: row["title"], count: row["count"],
        firstSeen: Timestamp(microsecondsSince1970: row["first_seen"]),
        lastSeen: Timestamp(microsecondsSince1970: row["last_seen"]), state: state(row, now),
        hasRegressed: row["regressed"], standing: standing, newestVersion: newest,
        file: row["file"],
        programs: try names("program", fingerprint, in: database),
        versions: try names("version", fingerprint, in: database),
        hosts: try names("host", fingerprint, in: database),
        hours: try counts(fingerprint, now, spans: 24, of: hour, in: database),
        days: try counts(fingerprint, now, spans: 30, of: 24 * hour, in: database))
    }

    private static func state(_ row: Row, _ now: Timestamp) -> GroupState {
      switch row["state"] as String {
      case "resolved": return .resolved(version: row["resolved_in"])
      case "muted":
        let end = (row["muted_until"] as Int64?).map { Timestamp(microsecondsSince1970: $0) }
        return end.map { $0 <= now } == true ? .open : .muted(until: end)
      default: return .open
      }
    }

    private static func names(_ column: String, _ fingerprint: String, in database: Database) throws -> [String] {
      try String.fetchAll(
        database,
        sql: """
          SELECT \(column) FROM report WHERE fingerprint = ? AND \(column) IS NOT NULL
          GROUP BY \(column) ORDER BY sum(weight) DESC, \(column) LIMIT \(namedOnes)
          """, arguments: [fingerprint])
    }

    /// How many crashes each of the last spans of time has, the oldest first.
    private static func counts(
      _ fingerprint: String, _ now: Timestamp, spans: Int, of length: Int64, in database: Database
    ) throws -> [Int] {
      let end = now.microseconds
      var counts = [Int](repeating: 0, count: spans)
      let rows = try Row.fetchAll(
        database,
        sql: """
          SELECT (? - time) / \(length) AS ago, sum(weight) AS crashes FROM report
          WHERE fingerprint = ? AND time > ? AND time <= ? GROUP BY ago
          """, arguments: [end, fingerprint, end - Int64(spans) * length, end])
      for row in rows {
        let ago: Int = row["ago"]
        if counts.indices.contains(spans - 1 - ago) { counts[spans - 1 - ago] = row["crashes"] }
      }
      return counts
    }

    static func report(_ row: Row) -> StoredReport? {
      guard let id = ReportID(row["id"] as String) else { return nil }
      return StoredReport(
        id: id, fingerprint: row["fingerprint"], title: row["title"],
        time: Timestamp(microsecondsSince1970: row["time"]), weight: row["weight"], isCount: row["is_count"],
        program: row["program"], version: row["version"], host: row["host"])
    }
  }
#endif
