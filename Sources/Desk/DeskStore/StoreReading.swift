#if Desk
  import CrashReportModel
  import GRDB

  /// What reads the database.
  enum StoreReading {
    /// At most this many programs, versions and hosts of a group are named.
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
      if let search = StoreSearch.condition(query.search) {
        conditions.append(search.sql)
        arguments += [search.pattern]
      }
      // A search is made once: all that match are few beside the reports.
      let numbers = try Int64.fetchAll(
        database,
        sql: """
          SELECT number FROM crash_group WHERE \(conditions.joined(separator: " AND "))
          ORDER BY last_seen DESC, fingerprint
          """, arguments: arguments)
      let statement = try database.cachedStatement(sql: "SELECT * FROM crash_group WHERE number = ?")
      let groups = try numbers.dropFirst(query.offset).prefix(query.limit).compactMap { number in
        // A list shows no days: these are the most that is read of a group.
        try Row.fetchOne(statement, arguments: [number]).map { try group($0, query.now, days: 0, in: database) }
      }
      return GroupList(groups: groups, total: numbers.count)
    }

    static func group(_ fingerprint: String, _ now: Timestamp, in database: Database) throws -> StoredGroup? {
      try Row.fetchOne(database, sql: "SELECT * FROM crash_group WHERE fingerprint = ?", arguments: [fingerprint])
        .map { try group($0, now, days: 30, in: database) }
    }

    /// SQL's expression for a group's state at a time: what was muted until then is open.
    static func stateAt(_ now: Timestamp) -> String { state(at: "\(now.microseconds)") }

    /// The same, for a statement that has the time as an argument.
    static let stateThen = state(at: "?")

    private static func state(at time: String) -> String {
      "CASE WHEN state = 'muted' AND muted_until <= \(time) THEN 'open' ELSE state END"
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
