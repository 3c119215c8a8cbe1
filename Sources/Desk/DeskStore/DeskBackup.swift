#if Desk
  import Foundation
  import GRDB
  import Glibc
  import LinuxCalls

  /// Copies a desk's folder while a desk uses it.
  public enum DeskBackup {
    /// Makes a copy that a desk can use. Returns the number of reports in it.
    ///
    /// - Throws: ``StoreError`` if the folder does not have a desk's data, if the target exists already, or if reading
    ///   or writing fails.
    public static func make(of path: String, to target: String) throws -> Int {
      let source = try DataFolder(reading: path)
      guard mkdir(target, 0o700) == 0 else {
        throw StoreError(target, errno == EEXIST ? "it already exists" : errorText(errno))
      }
      let copy = try DataFolder(target)
      // What is counted meanwhile is in both, which is one report.
      let waiting = try IncomingFiles(source, ReportFiles(source)).copy(to: copy)
      let numbers = try copyDatabase(of: source, to: copy)
      let missing = try copyReports(numbers, of: source, to: copy)
      if !missing.isEmpty { try forget(missing, in: copy) }
      for name in ["tokens", "symbols"] where access("\(path)/\(name)", F_OK) == 0 {
        try FileManager.default.copyItem(atPath: "\(path)/\(name)", toPath: "\(target)/\(name)")
      }
      // On Linux it returns when all of it is on the disk.
      Glibc.sync()
      return numbers.count - missing.count + waiting.subtracting(numbers.map(\.id)).count
    }

    /// The reports that the copy knows. The copy is of one moment, whatever a desk writes meanwhile.
    private static func copyDatabase(
      of source: DataFolder, to copy: DataFolder
    ) throws -> [(number: Int64, id: ReportID)] {
      var configuration = Configuration()
      configuration.readonly = true
      let old = try DatabaseQueue(path: source.database, configuration: configuration)
      // Ours alone, before SQLite makes it for others to read.
      close(LinuxCalls.open(copy.database, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600))
      let new = try DatabaseQueue(path: copy.database)
      try old.backup(to: new)
      let rows = try new.read { try Row.fetchAll($0, sql: "SELECT number, id FROM report") }
      return rows.compactMap { row in ReportID(row["id"] as String).map { (row["number"], $0) } }
    }

    /// The numbers of those that the desk has removed since.
    private static func copyReports(
      _ reports: [(number: Int64, id: ReportID)], of source: DataFolder, to copy: DataFolder
    ) throws -> [Int64] {
      let (old, new) = (try ReportFiles(source), try ReportFiles(copy))
      var missing: [Int64] = []
      for (number, id) in reports {
        guard let bytes = try old.read(id) else {
          missing.append(number)
          continue
        }
        try new.write(bytes, as: id)
      }
      return missing
    }

    private static func forget(_ numbers: [Int64], in copy: DataFolder) throws {
      let database = try DatabaseQueue(path: copy.database)
      for start in stride(from: 0, to: numbers.count, by: 200) {
        let some = Array(numbers[start..<min(start + 200, numbers.count)])
        try database.write { try StoreRetention.forget(some, in: $0) }
      }
    }
  }
#endif
