import CrashReportModel

/// Groups of reports, with a count of the inputs that belong to no group.
public struct GroupedReports: Sendable {
  /// The groups.
  public var groups = ReportGroups()
  /// How many reports are older than the time limit, or have no known time.
  public var tooOld = 0
  /// The first inputs that are not reports, with the reason.
  public var skipped: [(source: String, reason: String)] = []
  /// How many inputs are not reports.
  public var skippedCount = 0

  /// Starts without reports.
  public init() {}

  /// The JSON of `crashsym group --format json`.
  public var json: JSONValue {
    var object = JSONObject()
    object["groups"] = .array(groups.sorted.map(\.json))
    object["reports"] = groups.count.json
    object["leftOut"] = tooOld.json
    object["skippedCount"] = skippedCount.json
    object["skipped"] = .array(
      skipped.map { entry in
        .object(
          JSONObject(members: [
            .init(key: "source", value: entry.source.json), .init(key: "reason", value: entry.reason.json),
          ]))
      })
    return object.json
  }
}
