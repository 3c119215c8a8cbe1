#if Desk
  import CrashReportModel
  import GRDB

  /// How often programs were started, and how often they crashed.
  enum StoreStarts {
    /// Older starts and crashes do not count.
    private static let span: Int64 = 30 * 86_400_000_000
    private static let most = 500

    /// Records a start. Returns `false` if it is already recorded.
    static func add(_ start: ProgramStart, in database: Database) throws -> Bool {
      try database.execute(
        sql: "INSERT INTO start (id, program, version, time) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
        arguments: [start.id.text, start.program, start.version, start.time.microseconds])
      return database.changesCount > 0
    }

    static func forget(_ now: Timestamp, in database: Database) throws {
      try database.execute(sql: "DELETE FROM start WHERE time < ?", arguments: [now.microseconds - span])
    }

    /// Of each version that was started in the last 30 days.
    static func shares(_ now: Timestamp, in database: Database) throws -> [VersionShare] {
      let since = now.microseconds - span
      let rows = try Row.fetchAll(
        database,
        sql: """
          SELECT program, version, count(*) AS starts,
            (SELECT coalesce(sum(weight), 0) FROM report
              WHERE report.program = start.program AND report.version = start.version AND report.time >= :since) AS crashes
          FROM start WHERE time >= :since GROUP BY program, version
          """, arguments: ["since": since])
      return rows.map { row in
        VersionShare(
          program: row["program"], version: row["version"], starts: row["starts"], crashes: row["crashes"])
      }.sorted {
        $0.program != $1.program ? $0.program < $1.program : VersionOrder.isOlder($1.version, than: $0.version)
      }.prefix(most).map(\.self)
    }
  }
#endif
