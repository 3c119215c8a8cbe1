#if Desk
  import GRDB

  /// Which versions of a program the desk has seen, and which of them each group has.
  enum StoreVersions {
    static func count(
      _ crashes: Int, of fingerprint: String, program: String, version: String, in database: Database
    ) throws {
      try note(version, of: program, in: database)
      try database.executeOften(
        sql: """
          INSERT INTO group_version (program, fingerprint, version, count) VALUES (?, ?, ?, ?)
          ON CONFLICT (fingerprint, program, version) DO UPDATE SET count = count + excluded.count
          """, arguments: [program, fingerprint, version, crashes])
    }

    /// SQL's condition for groups of this standing. `CROSS` keeps SQLite from reading all groups of a program for one.
    static func condition(_ standing: Standing) -> String {
      let newest = """
        EXISTS (SELECT 1 FROM group_version AS seen CROSS JOIN program ON program.name = seen.program
          WHERE seen.fingerprint = crash_group.fingerprint AND seen.version = program.newest)
        """
      let earlier = """
        EXISTS (SELECT 1 FROM group_version AS seen CROSS JOIN program ON program.name = seen.program
          WHERE seen.fingerprint = crash_group.fingerprint AND seen.version <> program.newest)
        """
      let others = """
        EXISTS (SELECT 1 FROM group_version AS seen CROSS JOIN program ON program.name = seen.program
          WHERE seen.fingerprint = crash_group.fingerprint AND program.versions > 1)
        """
      return switch standing {
      case .new: "\(newest) AND NOT \(earlier) AND \(others)"
      case .gone: "\(earlier) AND NOT \(newest)"
      }
    }

    /// The standing of a group, and the newest version of the program that crashes most often in it.
    static func standing(
      of fingerprint: String, in database: Database
    ) throws -> (standing: Standing?, newest: String?) {
      for standing in Standing.allCases {
        let statement = try database.cachedStatement(
          sql: "SELECT EXISTS (SELECT 1 FROM crash_group WHERE fingerprint = ? AND \(condition(standing)))")
        let isSo = try Bool.fetchOne(statement, arguments: [fingerprint])
        guard isSo == true else { continue }
        let newest = try String.fetchOne(
          database.cachedStatement(
            sql: """
              SELECT newest FROM group_version CROSS JOIN program ON name = program WHERE fingerprint = ?
              GROUP BY program ORDER BY sum(count) DESC LIMIT 1
              """), arguments: [fingerprint])
        return (standing, newest)
      }
      return (nil, nil)
    }

    /// Keeps the program's newest version in step. It is not one of the versions of the program yet.
    private static func note(_ version: String, of program: String, in database: Database) throws {
      let statement = try database.cachedStatement(
        sql: "SELECT EXISTS (SELECT 1 FROM group_version WHERE program = ? AND version = ?)")
      let isKnown = try Bool.fetchOne(statement, arguments: [program, version])
      guard isKnown != true else { return }
      let newest = try String.fetchOne(
        database, sql: "SELECT newest FROM program WHERE name = ?", arguments: [program])
      let isNewer = newest.map { !VersionOrder.isOlder(version, than: $0) } ?? true
      try database.execute(
        sql: """
          INSERT INTO program (name, newest, versions) VALUES (?, ?, 1)
          ON CONFLICT (name) DO UPDATE SET newest = excluded.newest, versions = versions + 1
          """, arguments: [program, isNewer ? version : newest])
    }
  }
#endif
