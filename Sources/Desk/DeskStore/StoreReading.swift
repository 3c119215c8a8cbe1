#if Desk
  import CrashReportModel
  import GRDB

  /// What reads the database.
  enum StoreReading {
    /// So many programs, versions and hosts of a group are named.
    private static let namedOnes = 5

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
      // A list shows no days: these are the most that is read of a group.
      return GroupList(groups: try rows.map { try group($0, query.now, days: 0, in: database) }, total: total ?? 0)
    }

    static func group(_ fingerprint: String, _ now: Timestamp, in database: Database) throws -> StoredGroup? {
      try Row.fetchOne(database, sql: "SELECT * FROM crash_group WHERE fingerprint = ?", arguments: [fingerprint])
        .map { try group($0, now, days: 30, in: database) }
    }

    /// SQL's expression for a group's state at a time: what was muted until then is open.
    static func stateAt(_ now: Timestamp) -> String {
      "CASE WHEN state = 'muted' AND muted_until <= \(now.microseconds) THEN 'open' ELSE state END"
    }

    /// Each word that was typed, quoted, so that no word has a meaning for FTS5. `nil` if there is no word.
    private static func pattern(_ text: String) -> String? {
      let words = text.split(whereSeparator: \.isWhitespace).prefix(20)
      guard !words.isEmpty else { return nil }
      return words.map { word in
        "\"\(String(String.UnicodeScalarView(word.unicodeScalars.filter { $0 != "\"" && $0 != "\0" })))\"*"
      }
      .joined(separator: " ")
    }

    private static func group(
      _ row: Row, _ now: Timestamp, days: Int, in database: Database
    ) throws -> StoredGroup {
      let fingerprint: String = row["fingerprint"]
      func names(_ kind: StoreCounters.Kind) throws -> [String] {
        try StoreCounters.names(kind, of: fingerprint, limit: namedOnes, in: database)
      }
      let (standing, newest) = try StoreVersions.standing(of: fingerprint, in: database)
      return StoredGroup(
        fingerprint: fingerprint, title: row["title"], count: row["count"],
        firstSeen: Timestamp(microsecondsSince1970: row["first_seen"]),
        lastSeen: Timestamp(microsecondsSince1970: row["last_seen"]), state: state(row, now),
        hasRegressed: row["regressed"], standing: standing, newestVersion: newest,
        file: row["file"],
        programs: try names(.program), versions: try names(.version), hosts: try names(.host),
        hours: try StoreCounters.trend(of: fingerprint, now, spans: 24, hours: 1, in: database),
        days: try StoreCounters.trend(of: fingerprint, now, spans: days, hours: 24, in: database))
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

    static func report(_ row: Row) -> StoredReport? {
      guard let id = ReportID(row["id"] as String) else { return nil }
      return StoredReport(
        id: id, fingerprint: row["fingerprint"], title: row["title"],
        time: Timestamp(microsecondsSince1970: row["time"]), weight: row["weight"], isCount: row["is_count"],
        program: row["program"], version: row["version"], host: row["host"])
    }
  }
#endif
