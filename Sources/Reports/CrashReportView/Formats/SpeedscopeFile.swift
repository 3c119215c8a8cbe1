import CrashReportModel

/// A report as a file for https://www.speedscope.app, of the type `sampled`.
public enum SpeedscopeFile {
  /// The file's JSON on one line, without a line end.
  public static func text(of report: CrashReport) -> String {
    let stacks = SampledStacks(report)
    var frames: [JSONValue] = []
    var places: [SampledStacks.Entry: Int] = [:]
    let samples = stacks.samples.map { sample in
      JSONValue.array(
        sample.entries.map { entry in
          let place = places[entry] ?? frames.count
          if place == frames.count {
            places[entry] = place
            frames.append(frame(entry))
          }
          return place.json
        })
    }
    let weights = stacks.samples.map(\.weight)
    let name = title(of: report)
    let profile = object([
      ("type", "sampled".json), ("name", name.json), ("unit", (stacks.isTimed ? "seconds" : "none").json),
      ("startValue", 0.json), ("endValue", weights.reduce(0, +).json), ("samples", .array(samples)),
      ("weights", .array(weights.map(\.json))),
    ])
    return object([
      ("$schema", "https://www.speedscope.app/file-format-schema.json".json),
      ("shared", object([("frames", .array(frames))])), ("profiles", .array([profile])), ("name", name.json),
      ("activeProfileIndex", 0.json), ("exporter", "crashsym".json),
    ]).text
  }

  private static func title(of report: CrashReport) -> String {
    let name = report.application?.name ?? report.process?.name ?? "report"
    return report.description.map { "\(name): \($0)" } ?? name
  }

  private static func frame(_ entry: SampledStacks.Entry) -> JSONValue {
    var members = [("name", entry.name.json)]
    if let file = entry.file { members.append(("file", file.json)) }
    if let line = entry.line { members.append(("line", line.json)) }
    if let column = entry.column { members.append(("col", column.json)) }
    return object(members)
  }

  private static func object(_ members: [(String, JSONValue)]) -> JSONValue {
    .object(JSONObject(members: members.map { JSONObject.Member(key: $0, value: $1) }))
  }
}
