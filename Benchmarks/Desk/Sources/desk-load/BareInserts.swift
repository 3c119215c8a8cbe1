import Foundation
import GRDB

/// What the desk is compared with: the same bytes, each in a transaction of its own that is on the disk when it ends.
enum BareInserts {
  static func run(_ reports: Reports, _ numbers: Range<Int>, into path: String) throws {
    var configuration = Configuration()
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    let database = try DatabasePool(path: path, configuration: configuration)
    try database.write { try $0.execute(sql: "CREATE TABLE report (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL)") }
    for number in numbers {
      let bytes = reports.report(number)
      try database.write { database in
        try database.execute(
          sql: "INSERT INTO report (id, bytes) VALUES (?, ?)", arguments: [number, bytes.withUnsafeBytes { Data($0) }])
      }
    }
  }
}
