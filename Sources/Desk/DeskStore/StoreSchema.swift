#if Desk
  import GRDB

  /// The tables of the database, version by version. A migration that was released never changes.
  enum StoreSchema {
    static var migrator: DatabaseMigrator {
      var migrator = DatabaseMigrator()
      migrator.registerMigration("1") { database in
        try database.execute(
          sql: """
            CREATE TABLE crash_group (
              fingerprint TEXT NOT NULL PRIMARY KEY, title TEXT NOT NULL, count INTEGER NOT NULL,
              first_seen INTEGER NOT NULL, last_seen INTEGER NOT NULL, state TEXT NOT NULL, resolved_in TEXT,
              decided INTEGER NOT NULL, regressed INTEGER NOT NULL) WITHOUT ROWID;
            CREATE INDEX crash_group_by_state ON crash_group (state, last_seen DESC);
            CREATE TABLE report (
              number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
              fingerprint TEXT NOT NULL REFERENCES crash_group (fingerprint), title TEXT NOT NULL,
              time INTEGER NOT NULL, weight INTEGER NOT NULL, is_count INTEGER NOT NULL, program TEXT, version TEXT,
              host TEXT);
            CREATE INDEX report_by_group ON report (fingerprint, time DESC);
            CREATE TABLE attribute (
              report INTEGER NOT NULL REFERENCES report (number), key TEXT NOT NULL, value TEXT NOT NULL,
              PRIMARY KEY (report, key)) WITHOUT ROWID;
            CREATE TABLE attribute_count (
              key TEXT NOT NULL, value TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (key, value)) WITHOUT ROWID;
            CREATE TABLE note (
              number INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL REFERENCES crash_group (fingerprint),
              time INTEGER NOT NULL, text TEXT NOT NULL);
            CREATE INDEX note_by_group ON note (fingerprint);
            CREATE VIRTUAL TABLE search USING fts5 (title, functions, files, message, attributes);
            """)
      }
      migrator.registerMigration("2") { database in
        try database.execute(
          sql: """
            ALTER TABLE crash_group ADD COLUMN muted_until INTEGER;
            CREATE TABLE program (name TEXT NOT NULL PRIMARY KEY, newest TEXT NOT NULL, versions INTEGER NOT NULL)
              WITHOUT ROWID;
            CREATE TABLE group_version (
              program TEXT NOT NULL, fingerprint TEXT NOT NULL REFERENCES crash_group (fingerprint),
              version TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (fingerprint, program, version)) WITHOUT ROWID;
            CREATE INDEX version_of_program ON group_version (program, version);
            """)
        let rows = try Row.fetchAll(
          database,
          sql: """
            SELECT fingerprint, program, version, sum(weight) AS count FROM report
            WHERE program IS NOT NULL AND version IS NOT NULL GROUP BY fingerprint, program, version
            """)
        for row in rows {
          try StoreVersions.count(
            row["count"], of: row["fingerprint"], program: row["program"], version: row["version"], in: database)
        }
      }
      migrator.registerMigration("3") { database in
        try database.execute(sql: "CREATE INDEX report_by_time ON report (time, number)")
      }
      migrator.registerMigration("4") { database in
        try database.execute(
          sql: """
            ALTER TABLE report ADD COLUMN own TEXT;
            CREATE INDEX report_by_own ON report (own) WHERE own IS NOT NULL;
            ALTER TABLE crash_group ADD COLUMN file TEXT;
            CREATE TABLE rule (
              number INTEGER PRIMARY KEY, source TEXT NOT NULL, target TEXT NOT NULL, part TEXT, value TEXT,
              made INTEGER NOT NULL);
            CREATE INDEX rule_by_source ON rule (source);
            CREATE TABLE start (
              id TEXT NOT NULL PRIMARY KEY, program TEXT NOT NULL, version TEXT NOT NULL, time INTEGER NOT NULL)
              WITHOUT ROWID;
            CREATE INDEX start_by_version ON start (program, version, time);
            CREATE INDEX report_by_version ON report (program, version, time);
            """)
      }
      migrator.registerMigration("5") { database in
        try database.execute(sql: StoreCounters.tables)
        try StoreCounters.countAll(in: database)
      }
      migrator.registerMigration("6") { try $0.execute(sql: StoreLateSymbols.tables) }
      migrator.registerMigration("7") { try $0.execute(sql: StoreProjects.columns) }
      migrator.registerMigration("8") { try StoreSearch.numberGroups(in: $0) }
      return migrator
    }
  }
#endif
