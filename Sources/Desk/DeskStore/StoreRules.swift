#if Desk
  import CrashReportModel
  import GRDB

  /// Rules of people about which group a report belongs to. A report keeps its own fingerprint, so that each rule can be
  /// taken back.
  enum StoreRules {
    /// Longer chains of rules are not followed.
    private static let longestChain = 20

    /// The group of a report whose own fingerprint is this.
    static func group(of own: String, _ words: SearchedWords, in database: Database) throws -> String {
      var group = own
      for _ in 0..<longestChain {
        let rules = try rules("WHERE source = ? ORDER BY part IS NULL, number", [group], in: database)
        guard let rule = rules.first(where: { $0.matches(words) }) else { break }
        group = rule.target
      }
      return group
    }

    /// The rules that lead to a group or away from it.
    static func rules(of group: String, in database: Database) throws -> [GroupRule] {
      try rules("WHERE source = :group OR target = :group ORDER BY number", ["group": group], in: database)
    }

    /// All rules, in the order in which people made them.
    static func all(in database: Database) throws -> [(rule: GroupRule, made: Timestamp)] {
      let times = try Int64.fetchAll(database, sql: "SELECT made FROM rule ORDER BY number")
      return zip(try rules("ORDER BY number", [], in: database), times.map(Timestamp.init(microsecondsSince1970:)))
        .map { ($0, $1) }
    }

    private static func rules(
      _ condition: String, _ arguments: StatementArguments, in database: Database
    ) throws -> [GroupRule] {
      let statement = try database.cachedStatement(
        sql: "SELECT number, source, target, part, value FROM rule \(condition)")
      return try Row.fetchAll(statement, arguments: arguments).map { row in
        GroupRule(
          number: row["number"], source: row["source"], target: row["target"],
          part: (row["part"] as String?).flatMap { GroupRule.Part(rawValue: $0) }, value: row["value"])
      }
    }

    /// Makes a rule and obeys it. False if a group is missing, or if the rule would lead back to its own group.
    static func add(_ rule: GroupRule, _ now: Timestamp, in database: Database) throws -> Bool {
      guard try isGroup(rule.source, in: database), try rule.part != nil || isGroup(rule.target, in: database) else {
        return false
      }
      return try make(rule, now, in: database)
    }

    /// Makes a rule of another desk, whose reports may come later, and obeys it. It stays as it is if it is there already; of
    /// two groups that all reports belong to, the later rule holds. False if it would lead back to its own group.
    static func take(_ rule: GroupRule, _ made: Timestamp, in database: Database) throws -> Bool {
      let isSettled = try Bool.fetchOne(
        database,
        sql: """
          SELECT EXISTS (SELECT 1 FROM rule WHERE source = :source AND part IS :part
            AND (target = :target OR (part IS NULL AND made >= :made)))
          """,
        arguments: [
          "source": rule.source, "target": rule.target, "part": rule.part?.rawValue, "made": made.microseconds,
        ])
      return try isSettled == true || make(rule, made, in: database)
    }

    private static func make(_ rule: GroupRule, _ made: Timestamp, in database: Database) throws -> Bool {
      guard try group(of: rule.target, SearchedWords(), in: database) != rule.source, rule.source != rule.target else {
        return false
      }
      try database.execute(
        sql: """
          DELETE FROM rule WHERE source = :source AND (target = :target OR (part IS NULL AND :part IS NULL));
          INSERT INTO rule (source, target, part, value, made) VALUES (:source, :target, :part, :value, :made)
          """,
        arguments: [
          "source": rule.source, "target": rule.target, "part": rule.part?.rawValue, "value": rule.value,
          "made": made.microseconds,
        ])
      try regroup(from: rule.source, in: database)
      return true
    }

    /// Removes a rule and its effect. Returns the rule, or `nil` if there is no such rule.
    static func remove(_ number: Int64, in database: Database) throws -> GroupRule? {
      guard let rule = try rules("WHERE number = ?", [number], in: database).first else { return nil }
      try database.execute(sql: "DELETE FROM rule WHERE number = ?", arguments: [number])
      try regroup(from: rule.source, in: database)
      return rule
    }

    private static func isGroup(_ fingerprint: String, in database: Database) throws -> Bool {
      try Bool.fetchOne(
        database, sql: "SELECT EXISTS (SELECT 1 FROM crash_group WHERE fingerprint = ?)", arguments: [fingerprint])
        == true
    }

    // MARK: Reports that change their group

    /// Puts each report of this group, and each that a rule ever moved, where the rules want it.
    private static func regroup(from source: String, in database: Database) throws {
      let rows = try Row.fetchAll(
        database,
        sql: """
          SELECT report.*, coalesce(own, report.fingerprint) AS home, search.functions, search.files
          FROM report JOIN search ON search.rowid = \(StoreSearch.placeOfReport)
          WHERE report.fingerprint = ? OR own IS NOT NULL
          """, arguments: [source])
      var changed: Set<String> = [source]
      for row in rows {
        var words = SearchedWords()
        (words.functions, words.files) = (row["functions"], row["files"])
        let (now, home): (String, String) = (row["fingerprint"], row["home"])
        let next = try group(of: home, words, in: database)
        guard next != now else { continue }
        changed.formUnion([now, next])
        try move(row, from: now, to: next, home: home, in: database)
      }
      for group in changed { try settle(group, in: database) }
    }

    private static func move(
      _ row: Row, from group: String, to next: String, home: String, in database: Database
    ) throws {
      let (time, weight): (Int64, Int) = (row["time"], row["weight"])
      try database.execute(
        sql: """
          INSERT INTO crash_group (fingerprint, title, count, first_seen, last_seen, state, decided, regressed, number)
          VALUES (?, ?, ?, ?, ?, 'open', 0, FALSE, \(StoreSearch.nextGroup))
          ON CONFLICT (fingerprint) DO UPDATE SET count = count + excluded.count,
            first_seen = min(first_seen, excluded.first_seen), last_seen = max(last_seen, excluded.last_seen)
          """, arguments: [next, row["title"] as String, weight, time, time])
      let number: Int64 = row["number"]
      try StoreSearch.move(
        from: StoreSearch.place(of: number, in: group, database),
        to: StoreSearch.place(of: number, in: next, database), in: database)
      try database.execute(
        sql: """
          UPDATE report SET fingerprint = ?, own = ? WHERE number = ?
          """, arguments: [next, next == home ? nil : home, number])
      try database.execute(
        sql: "UPDATE crash_group SET count = count - ? WHERE fingerprint = ?", arguments: [weight, group])
      if var report = StoreReading.report(row) {
        try StoreCounters.add(-weight, of: report, in: database)
        report.fingerprint = next
        try StoreCounters.add(weight, of: report, in: database)
      }
      guard let program = row["program"] as String?, let version = row["version"] as String? else { return }
      try database.execute(
        sql: """
          UPDATE group_version SET count = count - ? WHERE fingerprint = ? AND program = ? AND version = ?
          """, arguments: [weight, group, program, version])
      try StoreVersions.count(weight, of: next, program: program, version: version, in: database)
      try database.execute(sql: "DELETE FROM group_version WHERE count <= 0")
    }

    /// A group without reports that a rule leads away from, or that a rule had made, is in no list.
    static func settle(_ group: String, in database: Database) throws {
      let isEmpty = try Bool.fetchOne(
        database, sql: "SELECT NOT EXISTS (SELECT 1 FROM report WHERE fingerprint = ?)", arguments: [group])
      if isEmpty == true {
        return try database.execute(
          sql: "UPDATE crash_group SET state = 'merged' WHERE fingerprint = ?", arguments: [group])
      }
      try database.execute(
        sql: """
          UPDATE crash_group SET state = CASE state WHEN 'merged' THEN 'open' ELSE state END,
            first_seen = (SELECT min(time) FROM report WHERE fingerprint = :group),
            last_seen = (SELECT max(time) FROM report WHERE fingerprint = :group)
          WHERE fingerprint = :group
          """, arguments: ["group": group])
    }
  }
#endif
