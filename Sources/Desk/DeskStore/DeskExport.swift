#if Desk
  import CrashReportModel
  import Foundation
  import GRDB

  /// A desk's reports, rules, states and notes as lines of JSON, for another desk.
  public enum DeskExport {
    /// The schema in the first line.
    public static let schema = "crashsym-desk-export/1"

    /// Writes the rules of a desk's folder, then all reports, then the states and notes of the reports' groups. A desk
    /// may use the folder at the same time.
    ///
    /// - Throws: ``StoreError`` if the folder does not have a desk's data. Also rethrows errors of `write`.
    public static func lines(of path: String, write: ([UInt8]) throws -> Void) throws {
      let folder = try DataFolder(reading: path)
      let files = try ReportFiles(folder)
      let database = try StoreFile.openReading(folder.database)
      var head = JSONObject()
      head["schema"] = schema.json
      try write(line(head))
      // Before the reports: each finds its group at once.
      for rule in try database.read(StoreRules.all) { try write(line(object(rule.rule, rule.made))) }
      let incoming = try IncomingFiles(folder, files)
      var waiting = Dictionary(uniqueKeysWithValues: incoming.waiting.map { ($0.id, $0.project) })
      var last: Int64 = 0
      while true {
        let from = last
        let rows = try database.read { database in
          try Row.fetchAll(
            database, sql: "SELECT number, id, project FROM report WHERE number > ? ORDER BY number LIMIT 500",
            arguments: [from])
        }
        guard let end = rows.last else { break }
        for row in rows {
          // A desk may have removed it since.
          guard let id = ReportID(row["id"] as String), let bytes = try incoming.read(id) ?? files.read(id) else {
            continue
          }
          try write(line(object(id, row["project"], bytes)))
          waiting[id] = nil
        }
        last = end["number"]
      }
      for (id, project) in waiting {
        guard let bytes = try incoming.read(id) ?? files.read(id) else { continue }
        try write(line(object(id, project, bytes)))
      }
      let groups = try database.read {
        try Row.fetchAll($0, sql: "SELECT * FROM crash_group WHERE state <> 'merged' ORDER BY fingerprint")
      }
      for row in groups {
        let notes = try database.read { try StoreDetails.notes(of: row["fingerprint"], in: $0) }
        if (row["decided"] as Int64) > 0 || !notes.isEmpty { try write(line(object(row, notes))) }
      }
    }

    private static func line(_ object: JSONObject) -> [UInt8] { object.json.utf8 + [0x0A] }

    private static func object(_ id: ReportID, _ project: String?, _ bytes: [UInt8]) -> JSONObject {
      var object = JSONObject()
      object["id"] = id.text.json
      object["project"] = project?.json
      if let text = String(validating: bytes, as: UTF8.self) {
        object["report"] = text.json
      } else {
        object["bytes"] = Data(bytes).base64EncodedString().json
      }
      return object
    }

    private static func object(_ rule: GroupRule, _ made: Timestamp) -> JSONObject {
      var object = JSONObject()
      object["from"] = rule.source.json
      object["to"] = rule.target.json
      object["part"] = rule.part?.rawValue.json
      object["value"] = rule.value?.json
      object["made"] = made.json
      return object
    }

    private static func object(_ row: Row, _ notes: [Note]) -> JSONObject {
      var object = JSONObject()
      object["group"] = (row["fingerprint"] as String).json
      object["state"] = (row["state"] as String).json
      object["version"] = (row["resolved_in"] as String?)?.json
      object["until"] = (row["muted_until"] as Int64?).map { Timestamp(microsecondsSince1970: $0).json }
      let decided: Int64 = row["decided"]
      object["decided"] = decided > 0 ? Timestamp(microsecondsSince1970: decided).json : nil
      object["notes"] =
        notes.map { note in
          var object = JSONObject()
          object["time"] = note.time.json
          object["text"] = note.text.json
          return object
        }.json
      return object
    }
  }
#endif
