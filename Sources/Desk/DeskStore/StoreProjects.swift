#if Desk
  import GRDB

  /// Which project sent a report, and how much each project has.
  enum StoreProjects {
    static let columns = """
      ALTER TABLE report ADD COLUMN project TEXT;
      ALTER TABLE report ADD COLUMN bytes INTEGER;
      """

    /// Records the sizes of reports that are older than the record of sizes.
    static func measure(_ files: ReportFiles, in database: DatabasePool) throws {
      let rows = try database.read { try Row.fetchAll($0, sql: "SELECT number, id FROM report WHERE bytes IS NULL") }
      guard !rows.isEmpty else { return }
      try database.write { database in
        for row in rows {
          let size = ReportID(row["id"] as String).flatMap(files.size) ?? 0
          try database.execute(
            sql: "UPDATE report SET bytes = ? WHERE number = ?", arguments: [size, row["number"] as Int64])
        }
      }
    }

    /// The oldest reports of a project that has more bytes than this: some of them, if they are many.
    static func surplus(over limit: Int, batch: Int, in database: Database) throws -> [Row] {
      guard
        let most = try Row.fetchOne(
          database,
          sql: "SELECT project, sum(bytes) AS total FROM report GROUP BY project HAVING total > ? LIMIT 1",
          arguments: [limit])
      else { return [] }
      var excess = (most["total"] as Int) - limit
      var surplus: [Row] = []
      let rows = try Row.fetchAll(
        database,
        sql: "SELECT number, id, bytes FROM report WHERE project IS ? ORDER BY time, number LIMIT \(batch)",
        arguments: [most["project"] as String?])
      for row in rows where excess > 0 {
        excess -= row["bytes"] as Int
        surplus.append(row)
      }
      return surplus
    }
  }
#endif
