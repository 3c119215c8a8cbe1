#if Desk
  import CrashReportModel
  import GRDB

  extension SQLiteStore {
    public func noteSymbols(of buildID: String) throws {
      try write { database in
        try database.execute(sql: "INSERT OR IGNORE INTO noted_symbols (build_id) VALUES (?)", arguments: [buildID])
      }
    }

    public func notedSymbols() throws -> [String] {
      try read { try String.fetchAll($0, sql: "SELECT build_id FROM noted_symbols ORDER BY build_id") }
    }

    public func forgetSymbols(of buildID: String) throws {
      try write { try $0.execute(sql: "DELETE FROM noted_symbols WHERE build_id = ?", arguments: [buildID]) }
    }

    public func reports(lacking buildID: String, after number: Int64) throws -> [(number: Int64, id: ReportID)] {
      try read { try StoreLateSymbols.reports(lacking: buildID, after: number, in: $0) }
    }

    public func update(_ report: ArrivedReport) throws -> String? {
      try write { try StoreLateSymbols.update(report, in: $0) }
    }
  }

  /// Reports that get their functions after they came, and their groups.
  enum StoreLateSymbols {
    /// At most this many reports at a time.
    private static let batch = 100

    /// A report that is older than this record may lack any symbols.
    static let tables = """
      ALTER TABLE report ADD COLUMN lacking TEXT;
      CREATE TABLE noted_symbols (build_id TEXT NOT NULL PRIMARY KEY) WITHOUT ROWID;
      """

    static func reports(
      lacking buildID: String, after number: Int64, in database: Database
    ) throws -> [(number: Int64, id: ReportID)] {
      try Row.fetchAll(
        database,
        sql: """
          SELECT number, id FROM report WHERE number > ? AND NOT is_count
            AND (lacking IS NULL OR instr(lacking, ?) > 0) ORDER BY number LIMIT \(batch)
          """, arguments: [number, buildID]
      ).compactMap { row in ReportID(row["id"] as String).map { (row["number"], $0) } }
    }

    static func update(_ report: ArrivedReport, in database: Database) throws -> String? {
      guard
        let row = try Row.fetchOne(database, sql: "SELECT * FROM report WHERE id = ?", arguments: [report.id.text]),
        let earlier = StoreReading.report(row)
      else { return nil }
      let number: Int64 = row["number"]
      let words = report.words
      let place = try StoreSearch.place(of: number, in: earlier.fingerprint, database)
      // Rules of people hold for its new group too.
      let group = try StoreRules.group(of: report.fingerprint, words, in: database)
      let hasMoved = earlier.fingerprint != group
      // The group must be there before the report refers to it. The time of arrival stays that of a report without one.
      var moved = report
      (moved.time, moved.fingerprint) = (earlier.time, group)
      if hasMoved { try StoreWriting.count(moved, in: database) }
      let entry = StoreSearch.Entry(
        place: try StoreSearch.place(of: number, in: group, database), title: report.title, words: words)
      try StoreSearch.replace(place, with: entry, in: database)
      try database.execute(
        sql: "UPDATE report SET fingerprint = ?, own = ?, title = ?, lacking = ? WHERE number = ?",
        arguments: [
          group, group == report.fingerprint ? nil : report.fingerprint, report.title, report.lackingText, number,
        ])
      guard hasMoved else { return nil }
      try leave(earlier, to: group, in: database)
      return earlier.fingerprint
    }

    /// Takes a report out of the counts of the group that it was in.
    private static func leave(
      _ report: StoredReport, to fingerprint: String, in database: Database
    ) throws {
      try database.execute(
        sql: "UPDATE crash_group SET count = count - ? WHERE fingerprint = ?",
        arguments: [report.weight, report.fingerprint])
      try StoreCounters.add(-report.weight, of: report, in: database)
      if let program = report.program, let version = report.version {
        try database.execute(
          sql: """
            UPDATE group_version SET count = count - ? WHERE fingerprint = ? AND program = ? AND version = ?;
            """, arguments: [report.weight, report.fingerprint, program, version])
        try database.execute(
          sql: "DELETE FROM group_version WHERE fingerprint = ? AND count <= 0", arguments: [report.fingerprint])
      }
      let isLast = try Bool.fetchOne(
        database, sql: "SELECT NOT EXISTS (SELECT 1 FROM report WHERE fingerprint = ?)",
        arguments: [report.fingerprint])
      let hasRule = try !StoreRules.rules(of: report.fingerprint, in: database).isEmpty
      if isLast == true, !hasRule { return try absorb(report.fingerprint, into: fingerprint, in: database) }
      if isLast == true { return try StoreRules.settle(report.fingerprint, in: database) }
      try database.execute(
        sql: """
          UPDATE crash_group SET
            first_seen = iif(first_seen = :time,
              (SELECT min(time) FROM report WHERE fingerprint = :group), first_seen),
            last_seen = iif(last_seen = :time, (SELECT max(time) FROM report WHERE fingerprint = :group), last_seen)
          WHERE fingerprint = :group
          """, arguments: ["group": report.fingerprint, "time": report.time.microseconds])
    }

    /// What is left of a group without reports, notes and decisions too, goes to the group that its last report is in.
    private static func absorb(_ old: String, into new: String, in database: Database) throws {
      let arguments: StatementArguments = ["old": old, "new": new]
      for sql in [
        """
        UPDATE crash_group SET count = crash_group.count + max(old.count, 0),
          first_seen = min(crash_group.first_seen, old.first_seen),
          last_seen = max(crash_group.last_seen, old.last_seen)
          FROM crash_group AS old WHERE old.fingerprint = :old AND crash_group.fingerprint = :new
        """,
        // A decision that people made about the new group stays.
        """
        UPDATE crash_group SET state = old.state, resolved_in = old.resolved_in, muted_until = old.muted_until,
          decided = old.decided, regressed = old.regressed
          FROM crash_group AS old WHERE old.fingerprint = :old AND crash_group.fingerprint = :new
            AND crash_group.decided = 0
        """,
        "UPDATE note SET fingerprint = :new WHERE fingerprint = :old",
        """
        INSERT INTO group_value (fingerprint, kind, value, count)
        SELECT :new, kind, value, count FROM group_value WHERE fingerprint = :old AND count > 0
        ON CONFLICT (fingerprint, kind, value) DO UPDATE SET count = count + excluded.count
        """,
        """
        INSERT INTO group_hour (fingerprint, hour, count)
        SELECT :new, hour, count FROM group_hour WHERE fingerprint = :old AND count > 0
        ON CONFLICT (fingerprint, hour) DO UPDATE SET count = count + excluded.count
        """,
        """
        INSERT INTO group_version (program, fingerprint, version, count)
        SELECT program, :new, version, count FROM group_version WHERE fingerprint = :old
        ON CONFLICT (fingerprint, program, version) DO UPDATE SET count = count + excluded.count
        """,
      ] {
        try database.execute(sql: sql, arguments: arguments)
      }
      for table in StoreRetention.tablesOfGroup {
        try database.execute(sql: "DELETE FROM \(table) WHERE fingerprint = ?", arguments: [old])
      }
    }
  }

  extension ArrivedReport {
    /// As the database has it.
    var lackingText: String { lacking.joined(separator: " ") }
  }
#endif
