#if Desk
  import Foundation
  import GRDB
  import LinuxCalls

  /// Opens the database, whatever state it is in.
  enum StoreFile {
    /// Opens the database. If the file is damaged, sets it aside, makes a new one, and also returns the damaged file's
    /// new path.
    static func open(_ path: String) throws -> (DatabasePool, setAside: String?) {
      do {
        return (try openSound(path), nil)
      } catch let error as DatabaseError where [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode) {
        let aside = try setAside(path)
        return (try openSound(path), aside)
      }
    }

    /// A database that is only read, as it is.
    static func openReading(_ path: String) throws -> DatabasePool {
      var configuration = Configuration()
      configuration.readonly = true
      let database = try DatabasePool(path: path, configuration: configuration)
      let migrator = StoreSchema.migrator
      try database.read { database in
        guard try !migrator.hasBeenSuperseded(database) else {
          throw StoreError(path, "made by a newer version of crashsym")
        }
        guard try migrator.hasCompletedMigrations(database) else {
          throw StoreError(path, "made by an earlier version of crashsym; open it once with a desk to update it")
        }
      }
      return database
    }

    private static func openSound(_ path: String) throws -> DatabasePool {
      // Ours alone, before SQLite makes it for others to read.
      let file = LinuxCalls.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard file >= 0 else { throw StoreError(path, errorText(errno)) }
      close(file)
      var configuration = Configuration()
      // An answer of 202 promises that the report survives a loss of power.
      configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = FULL") }
      let database = try DatabasePool(path: path, configuration: configuration)
      let migrator = StoreSchema.migrator
      try database.read { database in
        let found = try String.fetchOne(database, sql: "PRAGMA quick_check(1)")
        guard found == "ok" else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: found) }
        guard try !migrator.hasBeenSuperseded(database) else {
          throw StoreError(path, "made by a newer version of crashsym")
        }
      }
      try migrator.migrate(database)
      return database
    }

    private static func setAside(_ path: String) throws -> String {
      let aside = "\(path).damaged-\(Int(Date().timeIntervalSince1970 * 1000))"
      for suffix in ["", "-wal", "-shm"] {
        guard rename(path + suffix, aside + suffix) == 0 || (!suffix.isEmpty && errno == ENOENT) else {
          throw StoreError(path, errorText(errno))
        }
      }
      return aside
    }
  }
#endif
