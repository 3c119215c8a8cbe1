#if Desk
  import GRDB

  /// The index of words. The upper half of a row's number is its group's number: a search finds groups without reading
  /// reports.
  enum StoreSearch {
    static let columns = "title, functions, files, message, attributes"
    /// SQL's expression for the number of a group that is made now.
    static let nextGroup = "(SELECT coalesce(max(number), 0) + 1 FROM crash_group)"
    private static let half: Int64 = 1 << 32

    /// Numbers the groups of a database that had no numbers, and gives each row of the index its new number.
    static func numberGroups(in database: Database) throws {
      try database.execute(
        sql: """
          ALTER TABLE crash_group ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
          UPDATE crash_group SET number = place.number
            FROM (SELECT fingerprint, row_number() OVER (ORDER BY fingerprint) AS number FROM crash_group) AS place
            WHERE place.fingerprint = crash_group.fingerprint;
          CREATE UNIQUE INDEX crash_group_by_number ON crash_group (number);
          CREATE VIRTUAL TABLE words USING fts5 (\(columns));
          INSERT INTO words (rowid, \(columns))
            SELECT crash_group.number * \(half) + report.number AS place, search.title, functions, files, message, attributes
            FROM search JOIN report ON report.number = search.rowid JOIN crash_group USING (fingerprint) ORDER BY place;
          DROP TABLE search;
          ALTER TABLE words RENAME TO search;
          DROP INDEX report_by_version;
          CREATE INDEX report_by_version ON report (program, version, time, weight);
          """)
    }

    /// The row of a report in a group.
    static func place(of number: Int64, in fingerprint: String, _ database: Database) throws -> Int64 {
      let statement = try database.cachedStatement(sql: "SELECT number FROM crash_group WHERE fingerprint = ?")
      return (try Int64.fetchOne(statement, arguments: [fingerprint]) ?? 0) * half + number
    }

    /// SQL's expression for the row of a report, by a row of `report`.
    static let placeOfReport = """
      (SELECT number FROM crash_group WHERE crash_group.fingerprint = report.fingerprint) * \(half) + report.number
      """

    /// SQL's condition for groups with a report that has these words. `nil` if there is no word.
    static func condition(_ text: String) -> (sql: String, pattern: String)? {
      pattern(text).map { ("number IN (SELECT rowid / \(half) FROM search WHERE search MATCH ?)", $0) }
    }

    /// Each word that was typed, quoted, so that no word has a meaning for FTS5.
    private static func pattern(_ text: String) -> String? {
      let words = text.split(whereSeparator: \.isWhitespace).prefix(20)
      guard !words.isEmpty else { return nil }
      return words.map { word in
        "\"\(String(String.UnicodeScalarView(word.unicodeScalars.filter { $0 != "\"" && $0 != "\0" })))\"*"
      }
      .joined(separator: " ")
    }

    /// A row of the index.
    struct Entry {
      var place: Int64
      var title: String
      var words: SearchedWords
    }

    /// Adds rows of one transaction, in the order of their numbers: FTS5 writes those that go back apart from the others.
    static func add(_ entries: [Entry], to database: Database) throws {
      for entry in entries.sorted(by: { $0.place < $1.place }) {
        let words = entry.words
        try database.executeOften(
          sql: "INSERT INTO search (rowid, \(columns)) VALUES (?, ?, ?, ?, ?, ?)",
          arguments: [entry.place, entry.title, words.functions, words.files, words.message, words.attributes])
      }
    }

    /// A report has other words, or another group, than before.
    static func replace(_ old: Int64, with entry: Entry, in database: Database) throws {
      try database.executeOften(sql: "DELETE FROM search WHERE rowid = ?", arguments: [old])
      try add([entry], to: database)
    }

    /// The group of a report is another one.
    static func move(from old: Int64, to new: Int64, in database: Database) throws {
      try database.executeOften(sql: "UPDATE search SET rowid = ? WHERE rowid = ?", arguments: [new, old])
    }
  }
#endif
