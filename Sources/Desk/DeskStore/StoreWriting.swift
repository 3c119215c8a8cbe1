#if Desk
  import CrashReportModel
  import GRDB

  /// What changes the database.
  enum StoreWriting {
    /// Adds reports, each unless it is there already.
    static func add(_ reports: [ArrivedReport], to database: Database) throws -> [Taken] {
      var entries: [StoreSearch.Entry] = []
      let taken = try reports.map { try add($0, to: database, &entries) }
      try StoreSearch.add(entries, to: database)
      return taken
    }

    /// Adds a report and counts it in its group. The caller adds its words.
    private static func add(
      _ arrived: ArrivedReport, to database: Database, _ entries: inout [StoreSearch.Entry]
    ) throws -> Taken {
      var report = arrived
      let known = try String.fetchOne(
        database.cachedStatement(sql: "SELECT fingerprint FROM report WHERE id = ?"), arguments: [report.id.text])
      if let known { return Taken(.known, in: known) }
      report.fingerprint = try StoreRules.group(of: arrived.fingerprint, arrived.words, in: database)
      let news = try count(report, in: database)
      try database.executeOften(
        sql: """
          INSERT INTO report
            (id, fingerprint, title, time, weight, is_count, program, version, host, own, lacking, project, bytes)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          report.id.text, report.fingerprint, report.title, report.time.microseconds, report.weight, report.isCount,
          report.program, report.version, report.host,
          report.fingerprint == arrived.fingerprint ? nil : arrived.fingerprint, report.lackingText, report.project,
          report.bytes.count,
        ])
      let number = database.lastInsertedRowID
      try countAttributes(of: report, number, in: database)
      let place = try StoreSearch.place(of: number, in: report.fingerprint, database)
      entries.append(StoreSearch.Entry(place: place, title: report.title, words: report.words))
      return Taken(.new, in: report.fingerprint, news: news)
    }

    @discardableResult
    static func count(_ report: ArrivedReport, in database: Database) throws -> GroupNews? {
      let state = try String.fetchOne(
        database.cachedStatement(sql: "SELECT \(StoreReading.stateThen) FROM crash_group WHERE fingerprint = ?"),
        arguments: [report.time.microseconds, report.fingerprint])
      let isBack = try reopen(report, in: database)
      try countInGroup(report, in: database)
      if state == nil { return .new }
      if isBack { return .regressed }
      return report.isCount && state == "open" ? .loop : nil
    }

    private static func countInGroup(_ report: ArrivedReport, in database: Database) throws {
      let time = report.time.microseconds
      try database.executeOften(
        sql: """
          INSERT INTO crash_group
            (fingerprint, title, count, first_seen, last_seen, state, decided, regressed, file, number)
          VALUES (?, ?, ?, ?, ?, 'open', 0, FALSE, ?, \(StoreSearch.nextGroup))
          ON CONFLICT (fingerprint) DO UPDATE SET count = count + excluded.count, file = coalesce(file, excluded.file),
            state = CASE state WHEN 'merged' THEN 'open' ELSE state END,
            first_seen = min(first_seen, excluded.first_seen), last_seen = max(last_seen, excluded.last_seen)
          """, arguments: [report.fingerprint, report.title, report.weight, time, time, report.file])
      try StoreCounters.add(report.weight, of: report.stored, in: database)
      guard let program = report.program, let version = report.version else { return }
      try StoreVersions.count(
        report.weight, of: report.fingerprint, program: program, version: version, in: database)
    }

    private static func countAttributes(
      of report: ArrivedReport, _ number: Int64, in database: Database
    ) throws {
      for (key, value) in report.attributes {
        try database.executeOften(
          sql: "INSERT INTO attribute (report, key, value) VALUES (?, ?, ?)", arguments: [number, key, value])
        try database.executeOften(
          sql: """
            INSERT INTO attribute_count (key, value, count) VALUES (?, ?, 1)
            ON CONFLICT (key, value) DO UPDATE SET count = count + 1
            """, arguments: [key, value])
      }
    }

    static func addNote(
      _ text: String, to fingerprint: String, _ now: Timestamp, in database: Database
    ) throws -> Bool {
      try database.execute(
        sql: """
          INSERT INTO note (fingerprint, time, text)
          SELECT fingerprint, ?, ? FROM crash_group WHERE fingerprint = ?
          """, arguments: [now.microseconds, text, fingerprint])
      return database.changesCount > 0
    }

    /// A group that was resolved is open again if this report shows that the fault is still there. Whether it is.
    private static func reopen(_ report: ArrivedReport, in database: Database) throws -> Bool {
      guard
        let row = try Row.fetchOne(
          database.cachedStatement(
            sql: "SELECT resolved_in, decided FROM crash_group WHERE fingerprint = ? AND state = 'resolved'"),
          arguments: [report.fingerprint])
      else { return false }
      let isBack =
        if let resolved = row["resolved_in"] as String?, let version = report.version {
          !VersionOrder.isOlder(version, than: resolved)
        } else {
          report.time.microseconds > row["decided"]
        }
      guard isBack else { return false }
      try database.execute(
        sql: "UPDATE crash_group SET state = 'open', resolved_in = NULL, regressed = TRUE WHERE fingerprint = ?",
        arguments: [report.fingerprint])
      return true
    }

    static func setState(
      _ state: GroupState, of fingerprint: String, _ now: Timestamp, in database: Database
    ) throws -> Bool {
      let version: String? = if case .resolved(let version) = state { version } else { nil }
      let end: Timestamp? = if case .muted(let end) = state { end } else { nil }
      try database.execute(
        sql: """
          UPDATE crash_group SET state = ?, resolved_in = ?, muted_until = ?, decided = ?, regressed = FALSE
          WHERE fingerprint = ?
          """, arguments: [state.name, version, end?.microseconds, now.microseconds, fingerprint])
      return database.changesCount > 0
    }
  }

  extension Database {
    /// Executes a statement that is compiled once.
    func executeOften(sql: String, arguments: StatementArguments) throws {
      try cachedStatement(sql: sql).execute(arguments: arguments)
    }
  }
#endif
