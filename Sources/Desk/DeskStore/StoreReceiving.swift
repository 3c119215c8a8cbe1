#if Desk
  import GRDB

  extension SQLiteStore {
    public func receive(_ reports: [ReceivedReport]) -> [Result<Acceptance, any Error>] {
      do {
        let known = try read { database in
          let statement = try database.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM report WHERE id = ?)")
          return try reports.filter { try Bool.fetchOne(statement, arguments: [$0.id.text]) == true }
        }
        return incoming.keep(reports, known: Set(known.map(\.id)))
      } catch {
        return reports.map { _ in .failure(error) }
      }
    }

    public var waiting: [(id: ReportID, project: String?)] { incoming.waiting }

    public func giveUp(_ id: ReportID) throws { try incoming.settle(id) }
  }
#endif
