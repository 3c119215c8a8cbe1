#if Desk
  import CrashReportModel
  import Foundation
  import GRDB
  import LinuxCalls

  /// Reports in a folder, with an SQLite database that counts and finds them.
  public final class SQLiteStore: ReportStore {
    /// Reads the data for the database from the bytes of a report.
    public typealias Describe = @Sendable (ReportID, [UInt8]) throws -> ArrivedReport

    /// If the database was damaged, opening the store moved it to this path and made a new database. `nil` if the
    /// database was valid.
    public let setAside: String?
    /// The reports in the folder that could not be read when the store was opened, each with the reason.
    public let unreadable: [(id: ReportID, reason: String)]
    private let folder: DataFolder
    private let files: ReportFiles
    /// For ``receive(_:)``.
    let incoming: IncomingFiles
    private let database: DatabasePool

    /// Opens the store of a folder, or makes one. Adds reports that are in the folder but not in the database.
    ///
    /// - Throws: ``StoreError`` if the folder or the database cannot be opened.
    public init(_ folder: DataFolder, describe: Describe) throws {
      self.folder = folder
      files = try ReportFiles(folder)
      incoming = try IncomingFiles(folder, files)
      (database, setAside) = try StoreFile.open(folder.database)
      unreadable = try Self.addMissing(files, to: database, describe)
      try StoreProjects.measure(files, in: database)
    }

    /// Opens the store of a folder for reading only. Functions that change the store then fail.
    ///
    /// - Throws: ``StoreError`` if another version of crashsym made the database, so that this version cannot read it
    ///   or would have to change it first.
    public init(reading folder: DataFolder) throws {
      self.folder = folder
      files = try ReportFiles(folder)
      incoming = try IncomingFiles(folder, files)
      (database, setAside, unreadable) = try (StoreFile.openReading(folder.database), nil, [])
    }

    private static func addMissing(
      _ files: ReportFiles, to database: DatabasePool, _ describe: Describe
    ) throws -> [(id: ReportID, reason: String)] {
      let known = try database.read { try Set(String.fetchAll($0, sql: "SELECT id FROM report")) }
      var unreadable: [(id: ReportID, reason: String)] = []
      for id in try files.list() where !known.contains(id.text) {
        do {
          guard let bytes = try files.read(id) else { continue }
          let report = try describe(id, bytes)
          _ = try database.write { try StoreWriting.add([report], to: $0) }
        } catch let error as DatabaseError {
          throw error
        } catch {
          unreadable.append((id, "\(error)"))
        }
      }
      return unreadable
    }

    public func take(_ reports: [ArrivedReport]) -> [Result<Taken, any Error>] {
      // The files come first: a report that is in the database has its bytes, and a file alone is counted at the next start.
      let rest = reports.filter { !incoming.contains($0.id) }
      let failures = Dictionary(
        zip(rest.map(\.id), files.keep(rest.map { ($0.bytes, $0.id) })), uniquingKeysWith: { $0 ?? $1 })
      func added(_ some: [ArrivedReport]) -> Result<[Taken], any Error> {
        Result { try database.write { try StoreWriting.add(some, to: $0) } }
      }
      let kept = reports.filter { (failures[$0.id] ?? nil) == nil }
      var taken: [Result<Taken, any Error>]
      switch added(kept) {
      case .success(let all): taken = all.map { .success($0) }
      // One that the database refuses takes no other one with it.
      case .failure(let error) where kept.count == 1: taken = [.failure(error)]
      case .failure: taken = kept.map { report in added([report]).map { $0[0] } }
      }
      let results = reports.map { report -> Result<Taken, any Error> in
        if let failure = failures[report.id] ?? nil { return .failure(failure) }
        return taken.removeFirst()
      }
      return zip(reports, results).map { report, result in
        Result {
          let taken = try result.get()
          try incoming.settle(report.id)
          return taken
        }
      }
    }

    /// For what this package's other files add to the store.
    func read<Value>(_ work: (Database) throws -> Value) throws -> Value { try database.read(work) }

    func write<Value>(_ work: (Database) throws -> Value) throws -> Value { try database.write(work) }

    public func bytes(of id: ReportID) throws -> [UInt8]? { try incoming.read(id) ?? files.read(id) }

    public func groups(_ query: GroupQuery) throws -> GroupList {
      try database.read { try StoreReading.groups(query, in: $0) }
    }

    public func group(_ fingerprint: String, now: Timestamp) throws -> StoredGroup? {
      try database.read { try StoreReading.group(fingerprint, now, in: $0) }
    }

    public func reports(of fingerprint: String, limit: Int, offset: Int) throws -> [StoredReport] {
      try database.read { database in
        let rows = try Row.fetchAll(
          database, sql: "SELECT * FROM report WHERE fingerprint = ? ORDER BY time DESC, number DESC LIMIT ? OFFSET ?",
          arguments: [fingerprint, limit, offset])
        return rows.compactMap(StoreReading.report)
      }
    }

    public func report(_ id: ReportID) throws -> StoredReport? {
      try database.read { database in
        try Row.fetchOne(database, sql: "SELECT * FROM report WHERE id = ?", arguments: [id.text])
          .flatMap(StoreReading.report)
      }
    }

    public func neighbours(of id: ReportID) throws -> Neighbours {
      try database.read { try StoreDetails.neighbours(of: id, in: $0) }
    }

    public func notes(of fingerprint: String) throws -> [Note] {
      try database.read { try StoreDetails.notes(of: fingerprint, in: $0) }
    }

    public func addNote(_ text: String, to fingerprint: String, now: Timestamp) throws -> Bool {
      try database.write { try StoreWriting.addNote(text, to: fingerprint, now, in: $0) }
    }

    public func frequentValues(of fingerprint: String) throws -> [FrequentValue] {
      try database.read { try StoreDetails.frequentValues(of: fingerprint, in: $0) }
    }

    public func remove(_ retention: Retention, now: Timestamp) throws -> Int {
      try database.write { try StoreStarts.forget(now, in: $0) }
      var count = 0
      try database.write { try StoreCounters.forgetHours(before: now, in: $0) }
      while true {
        let surplus = try database.read { try StoreRetention.surplus(retention, now, in: $0) }
        guard !surplus.isEmpty else { return count }
        // The files go first: the next start would count a file that the database does not know.
        for (_, id) in surplus { try files.remove(id) }
        try database.write { try StoreRetention.forget(surplus.map(\.number), in: $0) }
        count += surplus.count
      }
    }

    public func rules(of fingerprint: String) throws -> [GroupRule] {
      try database.read { try StoreRules.rules(of: fingerprint, in: $0) }
    }

    public func addRule(_ rule: GroupRule, now: Timestamp) throws -> Bool {
      try database.write { try StoreRules.add(rule, now, in: $0) }
    }

    public func removeRule(_ number: Int64) throws -> GroupRule? {
      try database.write { try StoreRules.remove(number, in: $0) }
    }

    public func addStart(_ start: ProgramStart) throws -> Bool {
      try database.write { try StoreStarts.add(start, in: $0) }
    }

    public func shares(now: Timestamp) throws -> [VersionShare] {
      try database.read { try StoreStarts.shares(now, in: $0) }
    }

    public func totals(now: Timestamp) throws -> Totals { try database.read { try StoreDetails.totals(now, in: $0) } }

    public func setState(_ state: GroupState, of fingerprint: String, now: Timestamp) throws -> Bool {
      try database.write { try StoreWriting.setState(state, of: fingerprint, now, in: $0) }
    }
  }
#endif
