extension CrashReport {
  /// The replacement for removed free text.
  public static let scrubbedText = "[scrubbed]"

  /// A copy that you can attach to a ticket.
  ///
  /// The copy has only the keys whose values are not private or are made harmless. A value of an unexpected type is
  /// left out. So the copy contains no unknown data. `ReportSections.swift` lists the keys and the kind of each value:
  /// see `ScrubbedValue`.
  ///
  /// - Parameter kept: The keys of the attributes whose values stay. This applies to attributes of the program, of
  ///   contexts and of breadcrumbs. Credentials and user names are removed from these values too.
  public func scrubbed(keeping kept: Set<String> = []) -> CrashReport {
    CrashReport(fields: fields.scrubbed(as: CrashReport.self, keeping: kept))
  }
}

extension JSONObject {
  /// The section with the keys that a ticket may have, each made harmless. A key that occurs twice is kept once, with
  /// the value that readers use.
  func scrubbed(as type: any ListedSection.Type, keeping kept: Set<String> = []) -> JSONObject {
    let last = Dictionary(members.indices.map { (members[$0].key, $0) }) { $1 }
    let known = members.indices.filter { type.keys.kept.contains(members[$0].key) && last[members[$0].key] == $0 }
    return JSONObject(
      members: known.compactMap { index in
        let member = members[index]
        let value = (type.keys.values[member.key] ?? .text).scrubbed(member.value, keeping: kept)
        return value.map { Member(key: member.key, value: $0) }
      })
  }

  func keeping(_ keys: Set<String>) -> JSONObject {
    JSONObject(members: members.filter { keys.contains($0.key) })
  }

  /// The keys are texts of the program too.
  func mappingMembers(_ change: (Member) -> JSONValue?) -> JSONObject {
    JSONObject(
      members: members.compactMap { member in
        change(member).map { Member(key: member.key.withoutCredentials.withUsersScrubbed, value: $0) }
      })
  }
}
