#if Desk
  import CrashReportModel
  import Foundation
  import GRDB

  /// Imports the lines of ``DeskExport``, one by one. Existing data stays unchanged.
  public struct DeskImport {
    /// Why a line is left out.
    public struct Complaint: Error {
      /// The error, in words.
      public let reason: String
    }

    /// How many imported reports the store did not have before.
    public private(set) var new = 0
    /// How many imported reports the store had before.
    public private(set) var known = 0
    /// How many rules were imported. This includes rules that the store had before.
    public private(set) var rules = 0
    /// The number of groups whose state and notes were imported.
    public private(set) var groups = 0

    private let store: SQLiteStore
    private let describe: SQLiteStore.Describe
    private var hasBegun = false

    /// Makes an import into a store.
    public init(_ store: SQLiteStore, describe: @escaping SQLiteStore.Describe) {
      (self.store, self.describe) = (store, describe)
    }

    /// Imports one line.
    ///
    /// - Throws: ``Complaint`` if the line is left out. Also rethrows errors of the store.
    public mutating func take(_ line: [UInt8]) throws {
      guard let outcome = try? JSONParser.parse(line), outcome.cut == nil else {
        throw Complaint(reason: "not a JSON object")
      }
      let object = outcome.object
      guard hasBegun else {
        guard object["schema"] == DeskExport.schema.json else {
          throw Complaint(reason: "not what crashsym desk --export writes")
        }
        hasBegun = true
        return
      }
      if let fingerprint = object["group"].flatMap(String.init(json:)) { return try take(fingerprint, object) }
      if let source = object["from"].flatMap(String.init(json:)) { return try take(from: source, object) }
      guard let id = object["id"].flatMap(String.init(json:)).flatMap({ ReportID($0) }), let bytes = Self.bytes(object)
      else { throw Complaint(reason: "neither a report, a rule nor a group") }
      var report: ArrivedReport
      do {
        report = try describe(id, bytes)
      } catch {
        throw Complaint(reason: "\(id.text): \(error)")
      }
      report.project = object["project"].flatMap(String.init(json:))
      switch try store.accept(report) {
      case .new: new += 1
      case .known: known += 1
      }
    }

    /// Whether the first line of an export has been read.
    public var isExport: Bool { hasBegun }

    private static func bytes(_ object: JSONObject) -> [UInt8]? {
      if let text = object["report"].flatMap(String.init(json:)) { return Array(text.utf8) }
      return object["bytes"].flatMap(String.init(json:)).flatMap { Data(base64Encoded: $0) }.map(Array.init)
    }

    private mutating func take(from source: String, _ object: JSONObject) throws {
      guard let target = object["to"].flatMap(String.init(json:)), let rule = Self.rule(source, target, object),
        let made = object["made"].flatMap(Timestamp.init(json:))
      else { throw Complaint(reason: "the rule about the group \(source) is incomplete") }
      guard try store.write({ try StoreRules.take(rule, made, in: $0) }) else {
        throw Complaint(reason: "the rule would send the reports of the group \(source) back to the same group")
      }
      rules += 1
    }

    private static func rule(_ source: String, _ target: String, _ object: JSONObject) -> GroupRule? {
      guard let part = object["part"].flatMap(String.init(json:)) else { return GroupRule(merge: source, into: target) }
      guard let part = GroupRule.Part(rawValue: part), let value = object["value"].flatMap(String.init(json:)) else {
        return nil
      }
      let rule = GroupRule(split: source, by: part, value)
      return rule.target == target ? rule : nil
    }

    private mutating func take(_ fingerprint: String, _ object: JSONObject) throws {
      func time(_ key: String) -> Timestamp? { object[key].flatMap(Timestamp.init(json:)) }
      let state: GroupState
      switch object["state"].flatMap(String.init(json:)) {
      case "open": state = .open
      case "resolved": state = .resolved(version: object["version"].flatMap(String.init(json:)))
      case "muted": state = .muted(until: time("until"))
      default: throw Complaint(reason: "the group \(fingerprint) has no state")
      }
      let notes = object["notes"].flatMap([JSONObject].init(json:)) ?? []
      let decided = time("decided")
      let isThere = try store.write { database in
        let row = try Row.fetchOne(
          database, sql: "SELECT decided FROM crash_group WHERE fingerprint = ?", arguments: [fingerprint])
        guard let row else { return false }
        // The later decision holds.
        if let decided, decided.microseconds > row["decided"] {
          _ = try StoreWriting.setState(state, of: fingerprint, decided, in: database)
        }
        let known = try Set(StoreDetails.notes(of: fingerprint, in: database))
        for note in notes {
          guard let time = note["time"].flatMap(Timestamp.init(json:)),
            let text = note["text"].flatMap(String.init(json:)),
            !known.contains(Note(time: Timestamp(microsecondsSince1970: time.microseconds), text: text))
          else { continue }
          _ = try StoreWriting.addNote(text, to: fingerprint, time, in: database)
        }
        return true
      }
      guard isThere else {
        throw Complaint(
          reason: "this desk has no group \(fingerprint): it put the reports of that group into other groups")
      }
      groups += 1
    }
  }
#endif
