import Foundation
import GRDB
import Watcher

/// Opens a journal's file, whatever state it is in.
enum JournalFile {
  /// The version of the tables, kept in SQLite's `user_version`.
  static let version = 1

  /// The database, and the new path of a damaged one.
  static func open(_ path: String) throws -> (DatabaseQueue, setAside: String?) {
    do {
      return (try openSound(path), nil)
    } catch let error as DatabaseError where error.isDamage {
      let aside = try setAside(path)
      do {
        return (try openSound(path), aside)
      } catch {
        throw Watcher.Journal.JournalError(path: path, reason: String(describing: error))
      }
    } catch let error as Watcher.Journal.JournalError {
      throw error
    } catch {
      throw Watcher.Journal.JournalError(path: path, reason: String(describing: error))
    }
  }

  private static func openSound(_ path: String) throws -> DatabaseQueue {
    try makePrivate(path)
    var configuration = Configuration()
    configuration.busyMode = .timeout(2)
    let database = try DatabaseQueue(path: path, configuration: configuration)
    // Nothing is written to a file that is not known to be a journal of this version.
    _ = try database.read { database in try knownVersion(database, path) }
    try database.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
    }
    try database.write { database in
      let sound = try String.fetchOne(database, sql: "PRAGMA quick_check(1)")
      guard sound == "ok" else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: sound) }
      // Another process may have made them meanwhile.
      if try knownVersion(database, path) == 0 { try makeTables(database) }
      try checkTables(database)
    }
    return database
  }

  /// The version of the tables in the file; 0 if it has no tables.
  private static func knownVersion(_ database: Database, _ path: String) throws -> Int {
    let found = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    guard found <= version else {
      throw Watcher.Journal.JournalError(
        path: path, reason: "made by a newer version: its format is \(found), and this version reads up to \(version)",
        kind: .notOurs)
    }
    let things = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema") ?? 0
    guard found > 0 || things == 0 else {
      throw Watcher.Journal.JournalError(path: path, reason: "a database of another program", kind: .notOurs)
    }
    return found
  }

  /// Checks the tables: one may be missing or different, although the version says that all of them exist.
  private static func checkTables(_ database: Database) throws {
    for (table, expected) in columns {
      let found = try Row.fetchAll(database, sql: "SELECT name, type, pk FROM pragma_table_info(?)", arguments: [table])
      let described = found.map { row in
        "\(row["name"] as String) \(row["type"] as String? ?? "")\(row["pk"] as Int > 0 ? " key" : "")"
      }
      guard described == expected else {
        throw DatabaseError(
          resultCode: .SQLITE_CORRUPT, message: "the table \(table) differs from the table of version \(version)")
      }
    }
  }

  /// The columns that `makeTables` makes.
  private static let columns = [
    "event": [
      "id INTEGER key", "date REAL", "metric TEXT", "unit TEXT", "state TEXT", "value REAL", "threshold REAL",
    ],
    "threshold": ["metric TEXT key", "value REAL"],
  ]

  private static func makeTables(_ database: Database) throws {
    try database.execute(
      sql: """
        CREATE TABLE event (
          id INTEGER PRIMARY KEY AUTOINCREMENT, date REAL NOT NULL, metric TEXT NOT NULL, unit TEXT NOT NULL,
          state TEXT NOT NULL, value REAL, threshold REAL NOT NULL);
        CREATE INDEX event_date ON event (date);
        CREATE TABLE threshold (metric TEXT PRIMARY KEY, value REAL NOT NULL);
        PRAGMA user_version = \(version);
        """)
  }

  /// Made by us and for this user, before SQLite makes it for others to read; and never through a link.
  private static func makePrivate(_ path: String) throws {
    let file = Foundation.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    guard file >= 0 else {
      let reason = errno == ELOOP ? "a symbolic link, which is not followed" : String(cString: strerror(errno))
      throw Watcher.Journal.JournalError(path: path, reason: reason)
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw Watcher.Journal.JournalError(path: path, reason: "not a regular file", kind: .notOurs)
    }
    // Only a damaged journal is set aside. This is the text of a user.
    guard !beginsWithText(file) else {
      throw Watcher.Journal.JournalError(path: path, reason: "a text, not a journal", kind: .notOurs)
    }
  }

  /// Whether the file's first bytes are text; SQLite's own mark ends with a zero.
  private static func beginsWithText(_ file: Int32) -> Bool {
    var head = [UInt8](repeating: 0, count: 16)
    let count = pread(file, &head, head.count, 0)
    return count > 0 && head.prefix(count).allSatisfy { (0x20..<0x7f).contains($0) || (0x09...0x0d).contains($0) }
  }

  private static func setAside(_ path: String) throws -> String {
    let aside = "\(path).damaged-\(Int(Date().timeIntervalSince1970 * 1000))"
    for suffix in ["", "-wal", "-shm"] {
      guard rename(path + suffix, aside + suffix) == 0 || (!suffix.isEmpty && errno == ENOENT) else {
        throw Watcher.Journal.JournalError(path: path, reason: String(cString: strerror(errno)))
      }
    }
    return aside
  }
}

extension DatabaseError {
  fileprivate var isDamage: Bool { resultCode == .SQLITE_CORRUPT || resultCode == .SQLITE_NOTADB }
}
