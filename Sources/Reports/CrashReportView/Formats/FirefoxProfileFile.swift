import CrashReportModel

/// Reports as one profile for https://profiler.firefox.com: its processed format, version 60
/// (https://github.com/firefox-devtools/profiler/blob/main/docs-developer/CHANGELOG-formats.md).
///
/// A hang is one thread with its samples over time. In any other report each thread has one sample.
public enum FirefoxProfileFile {
  private static let version = 60

  /// The file's JSON on one line, without a line end.
  public static func text(of reports: [CrashReport]) -> String {
    var tables = Tables()
    let threads = reports.enumerated().flatMap { index, report in
      Self.threads(of: report, process: String(report.process?.pid ?? index + 1), &tables)
    }
    let meta = object([
      ("version", 24.json), ("preprocessedProfileVersion", version.json), ("product", product(of: reports).json),
      ("startTime", (reports.first.map(start) ?? 0).json), ("interval", 1.json), ("processType", 0.json),
      ("stackwalk", 1.json), ("symbolicated", true.json), ("debug", false.json),
      ("sourceCodeIsNotOnSearchfox", true.json), ("usesOnlyOneStackType", true.json), ("markerSchema", .array([])),
      ("categories", .array([category])),
      ("sampleUnits", object([("time", "ms".json), ("eventDelay", "ms".json), ("threadCPUDelta", "ns".json)])),
    ])
    return object([
      ("meta", meta), ("libs", .array([])), ("pages", .array([])), ("shared", tables.json),
      ("threads", .array(threads)),
    ]).text
  }

  /// The profiler's views need one grey category.
  private static var category: JSONValue {
    object([("name", "Other".json), ("color", "grey".json), ("subcategories", .array(["Other".json]))])
  }

  private static func product(of reports: [CrashReport]) -> String {
    let names = Set(reports.map { $0.application?.name ?? $0.process?.name ?? "report" })
    return names.count == 1 ? names.first ?? "report" : "crashsym"
  }

  /// Milliseconds since 1970 at which the samples of a report begin: when it was made, which is the first sample's moment.
  private static func start(of report: CrashReport) -> Double { Double(report.timestamp?.microseconds ?? 0) / 1000 }

  // MARK: Threads

  private static func threads(of report: CrashReport, process: String, _ tables: inout Tables) -> [JSONValue] {
    let stacks = SampledStacks(report)
    let name = report.application?.name ?? report.process?.name ?? "report"
    // All samples of a hang are of one thread, each of another report is of one of its own.
    let groups = stacks.isTimed ? [stacks.samples[...]] : stacks.samples.indices.map { stacks.samples[$0...$0] }
    return groups.enumerated().compactMap { index, samples in
      guard let label = samples.first?.entries.first?.name else { return nil }
      return object([
        ("name", label.json), ("processName", name.json), ("processType", "default".json), ("pid", process.json),
        ("tid", "\(process).\(index)".json), ("isMainThread", (index == 0).json), ("processStartupTime", 0.json),
        ("processShutdownTime", .null), ("registerTime", 0.json), ("unregisterTime", .null),
        ("pausedRanges", .array([])), ("markers", noMarkers),
        ("samples", Self.samples(samples, isTimed: stacks.isTimed, &tables)),
      ])
    }
  }

  private static var noMarkers: JSONValue {
    table(["data", "name", "startTime", "endTime", "phase", "category"].map { ($0, []) }, count: 0)
  }

  private static func samples(
    _ samples: ArraySlice<SampledStacks.Sample>, isTimed: Bool, _ tables: inout Tables
  ) -> JSONValue {
    let stacks = samples.map { sample in tables.stack(of: sample.entries.dropFirst()).map(\.json) ?? .null }
    let weights = samples.map { isTimed ? $0.weight * 1000 : $0.weight }
    var time = 0.0
    let times = weights.map { weight in
      defer { if isTimed { time += weight } }
      return time.json
    }
    let columns = [("stack", stacks), ("time", times), ("weight", weights.map(\.json))]
    return table(columns, count: samples.count, [("weightType", (isTimed ? "tracing-ms" : "samples").json)])
  }

  // MARK: What the threads share

  /// A table whose rows are referred to by their number. Equal rows are stored once.
  private struct Rows<Row: Hashable> {
    private(set) var all: [Row] = []
    private var places: [Row: Int] = [:]

    mutating func place(of row: Row) -> Int {
      if let place = places[row] { return place }
      places[row] = all.count
      all.append(row)
      return all.count - 1
    }
  }

  private struct Tables {
    private struct Function: Hashable {
      var name: Int
      var source: Int?
    }
    private struct Frame: Hashable {
      var function: Int
      var line: Int?
      var column: Int?
    }
    private struct Stack: Hashable {
      var prefix: Int?
      var frame: Int
    }

    private var texts = Rows<String>()
    private var sources = Rows<Int>()
    private var functions = Rows<Function>()
    private var frames = Rows<Frame>()
    private var stacks = Rows<Stack>()

    /// The number of a stack, which is given with its outermost function first; nil if it has none.
    mutating func stack(of entries: ArraySlice<SampledStacks.Entry>) -> Int? {
      entries.reduce(nil) { prefix, entry in
        let source = entry.file.map { sources.place(of: texts.place(of: $0)) }
        let function = functions.place(of: Function(name: texts.place(of: entry.name), source: source))
        let frame = frames.place(of: Frame(function: function, line: entry.line, column: entry.column))
        return stacks.place(of: Stack(prefix: prefix, frame: frame))
      }
    }

    var json: JSONValue {
      object([
        ("stringArray", .array(texts.all.map(\.json))),
        ("sources", rows(sources, [("uuid", { _ in .null }), ("filename", { $0.json })])),
        (
          "funcTable",
          rows(
            functions,
            [
              ("name", { $0.name.json }), ("isJS", { _ in false.json }), ("relevantForJS", { _ in false.json }),
              ("resource", { _ in (-1).json }), ("source", { orNull($0.source) }), ("lineNumber", { _ in .null }),
              ("columnNumber", { _ in .null }),
            ])
        ),
        (
          "frameTable",
          rows(
            frames,
            [
              ("address", { _ in (-1).json }), ("inlineDepth", { _ in 0.json }), ("category", { _ in 0.json }),
              ("subcategory", { _ in 0.json }), ("func", { $0.function.json }), ("nativeSymbol", { _ in .null }),
              ("innerWindowID", { _ in .null }), ("line", { orNull($0.line) }), ("column", { orNull($0.column) }),
            ])
        ),
        ("stackTable", rows(stacks, [("prefix", { orNull($0.prefix) }), ("frame", { $0.frame.json })])),
        ("resourceTable", table(["lib", "name", "host", "type"].map { ($0, []) }, count: 0)),
        ("nativeSymbols", table(["libIndex", "address", "name", "functionSize"].map { ($0, []) }, count: 0)),
      ])
    }

    private func rows<Row>(_ rows: Rows<Row>, _ columns: [(String, (Row) -> JSONValue)]) -> JSONValue {
      table(columns.map { name, value in (name, rows.all.map(value)) }, count: rows.all.count)
    }
  }

  // MARK: JSON

  private static func table(
    _ columns: [(String, [JSONValue])], count: Int, _ others: [(String, JSONValue)] = []
  ) -> JSONValue {
    object([("length", count.json)] + columns.map { ($0.0, .array($0.1)) } + others)
  }

  private static func orNull(_ number: Int?) -> JSONValue { number.map(\.json) ?? .null }

  private static func object(_ members: [(String, JSONValue)]) -> JSONValue {
    .object(JSONObject(members: members.map { JSONObject.Member(key: $0, value: $1) }))
  }
}
