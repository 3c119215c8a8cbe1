import CrashReportModel
import Foundation
import Testing

/// The keys of a report stand in the model, its lists of keys, the JSON Schema, `Docs/report-format.md` and the writer's
/// table: something that is added to one of them alone is found here.
@Suite struct SectionTests {
  private struct Section {
    var name: String
    var type: any ListedSection.Type
    /// Where the schema defines it; several definitions hold it together.
    var schema: [[String]]
    /// Its heading in the Docs.
    var heading: String

    var keys: Set<String> { type.keys.all }

    init(_ type: any ListedSection.Type, _ schema: String..., heading: String) {
      name = String(reflecting: type).replacing("CrashReportModel.", with: "")
      self.type = type
      self.schema = schema.map { $0.split(separator: "/").map(String.init) }
      self.heading = heading
    }
  }

  private static let sections = [
    Section(CrashReport.self, "", heading: "## Top level"),
    Section(CrashReport.Signal.self, "$defs/signal", heading: "### `signal`"),
    Section(CrashReport.Ending.self, "$defs/ending", heading: "### `ending`"),
    Section(CrashReport.Process.self, "$defs/process", heading: "### `process`"),
    Section(CrashReport.Application.self, "$defs/application", heading: "### `application`"),
    Section(CrashReport.Memory.self, "$defs/memory", heading: "### `memory`"),
    Section(CrashReport.Memory.Events.self, "$defs/memoryEvents", heading: "### `memory.events`"),
    Section(CrashReport.Memory.Pressure.self, "$defs/memoryPressure", heading: "### `memory.pressure`"),
    Section(CrashReport.Fault.self, "$defs/fault", heading: "### `fault`"),
    Section(CrashReport.Fault.Pointer.self, "$defs/faultPointer", heading: "### `fault.pointer`"),
    Section(CrashReport.Fault.Place.self, "$defs/faultPlace", heading: "### `fault.places[]`"),
    Section(CrashReport.Mapping.self, "$defs/mapping", heading: "### `fault.places[].mapping`"),
    Section(CrashReport.Descriptors.self, "$defs/descriptors", heading: "### `descriptors`"),
    Section(CrashReport.Descriptors.Kinds.self, "$defs/descriptorKinds", heading: "### `descriptors.kinds`"),
    Section(CrashReport.Host.self, "$defs/host", heading: "### `host`"),
    Section(CrashReport.Image.self, "$defs/image", heading: "### `images[]`"),
    Section(CrashReport.Thread.self, "$defs/thread", heading: "### `threads[]`"),
    Section(CrashReport.Task.self, "$defs/task", heading: "### `threads[].task`"),
    Section(CrashReport.LiveTask.self, "$defs/liveTask", heading: "### `tasks[]`"),
    Section(CrashReport.LiveTask.Awaited.self, "$defs/awaited", heading: "### `tasks[].awaits`"),
    Section(CrashReport.Guarded.self, "$defs/guarded", heading: "### `guarded`"),
    Section(CrashReport.Guarded.Step.self, "$defs/guardedStep", heading: "### `guarded.allocated`"),
    Section(CrashReport.ThrownError.self, "$defs/thrownError", heading: "### `thrown[]`"),
    Section(CrashReport.HeldLock.self, "$defs/heldLock", heading: "### `threads[].heldLocks[]`"),
    Section(CrashReport.Deadlock.self, "$defs/deadlock", heading: "### `deadlock`"),
    Section(CrashReport.Deadlock.Step.self, "$defs/deadlockStep", heading: "### `deadlock.steps[]`"),
    Section(CrashReport.Frame.self, "$defs/frame", heading: "### `frames[]`"),
    Section(CrashReport.SourceLocation.self, "$defs/sourceLocation", heading: "### `frames[].sourceLocation`"),
    Section(CrashReport.Context.self, "$defs/context", heading: "### `context`"),
    Section(CrashReport.Trace.self, "$defs/trace", heading: "### `context.trace`"),
    Section(CrashReport.Breadcrumb.self, "$defs/breadcrumb", heading: "### `breadcrumbs[]`"),
    Section(CrashReport.Metric.self, "$defs/metric", heading: "### `metrics[]`"),
    Section(CrashReport.Hang.self, "$defs/hang", heading: "### `hang`"),
    Section(
      CrashReport.Hang.HungThread.self, "$defs/hang/properties/threads/items", heading: "### `hang.threads[]`"),
    Section(
      CrashReport.Hang.Sample.self, "$defs/hang/properties/samples/items", heading: "### `hang.samples[]`"),
    Section(CrashReport.Violation.self, "$defs/violation", heading: "### `violation`"),
    Section(CrashReport.Violation.Lock.self, "$defs/violationLock", heading: "### `violation.locks[]`"),
    Section(CrashReport.Violation.Edge.self, "$defs/violationEdge", heading: "### `violation.edges[]`"),
    Section(
      CrashReport.Violation.Participant.self, "$defs/violationThread", heading: "### `violation.edges[].thread`"),
    Section(CrashReport.Violation.LabelledStack.self, "$defs/violationStack", heading: "### `violation.stacks[]`"),
    Section(CrashReport.Capture.self, "$defs/capture", heading: "### `capture`"),
    Section(CrashReport.TaskSearch.self, "$defs/taskSearch", heading: "### `capture.tasks`"),
    Section(CrashReport.Note.self, "$defs/unanswered", "$defs/cutShort", heading: "### `capture.cutShort[]`"),
    Section(CrashReport.Symbolication.self, "$defs/symbolication", heading: "### `symbolication`"),
    Section(
      CrashReport.MissingImage.self, "$defs/missingImage", heading: "### `symbolication.missingImages[]`"),
    Section(
      CrashReport.UnverifiedImage.self, "$defs/unverifiedImage", heading: "### `symbolication.unverifiedImages[]`"),
    Section(CrashReport.Fingerprint.self, "$defs/fingerprint", heading: "### `fingerprint`"),
    Section(CrashReport.Test.self, "$defs/test", heading: "### `test`"),
  ]

  /// Of logs of the Swift runtime, which no schema of ours describes.
  private static let foreignKeys: Set = ["omittedThreads"]
  /// Written, and read by no part of the package.
  private static let keysWithoutProperty: [String: Set<String>] = ["CrashReport.Process": ["environment"]]

  private static let root = Fixture.tests.deletingLastPathComponent()
  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  private static func schema() throws -> JSONValue {
    .object(try JSONParser.parse(Array(try text("Docs/report.schema.json").utf8)).object)
  }

  @Test func theModelReadsTheListedKeys() throws {
    let read = try ModelSource.keys(in: Self.root.appending(path: "Sources/Reports/CrashReportModel"))
    #expect(Set(read.keys) == Set(Self.sections.map(\.name)))
    for section in Self.sections {
      let known = (read[section.name] ?? []).union(Self.keysWithoutProperty[section.name] ?? [])
      #expect(known == section.keys, "\(section.name)")
    }
  }

  @Test func theSchemaHasTheListedKeys() throws {
    let schema = try Self.schema()
    for section in Self.sections {
      var keys: Set<String> = section.name == "CrashReport" ? Self.foreignKeys : []
      for path in section.schema {
        guard case .object(let properties)? = schema.at(path + ["properties"]) else {
          Issue.record("\(section.name) has no properties")
          continue
        }
        keys.formUnion(properties.members.map(\.key))
        #expect(schema.at(path + ["additionalProperties"]) == .bool(false), "\(section.name)")
      }
      #expect(keys == section.keys, "\(section.name)")
    }
  }

  @Test func theDocsHaveTheListedKeys() throws {
    let format = try Self.text("Docs/report-format.md")
    for section in Self.sections {
      let parts = format.components(separatedBy: section.heading + "\n")
      try #require(parts.count == 2, "\(section.heading)")
      let body = parts[1].components(separatedBy: "\n##")[0]
      let keys = body.matches(of: /(?m)^\| `([A-Za-z]+)` \|/).map { String($0.1) }
      #expect(Set(keys) == section.keys, "\(section.heading)")
      #expect(keys.count == Set(keys).count)
    }
  }

  /// Sections that only a reader adds are in no row of the writer's table.
  @Test func theWritersTableHasTheListedKeys() throws {
    let table = try Self.text("Sources/Ground/CReportParts/include/CReportParts/section_table.def")
    let rows = table.matches(of: /SECTION\([a-z_]+, "[^"]*"(?:, (?:true|false)){4},\s*"([A-Za-z ]*)"\)/)
    #expect(rows.count == table.components(separatedBy: "\nSECTION(").count - 1)
    let written = rows.flatMap { $0.1.split(separator: " ").map(String.init) }
    #expect(Set(written).count == written.count)
    let byOthers: Set = ["ending", "symbolication", "fingerprint", "test", "otherTests"]
    #expect(Set(written) == CrashReport.keys.all.subtracting(byOthers).subtracting(Self.foreignKeys))
  }

  /// All of the report but what is hidden, at every depth; and of what is unknown nothing.
  @Test func scrubbingKeepsTheListedKeys() throws {
    var report = try Fixture.report(try Fixture.text("CrashReportViewTests/Fixtures/full.json"))
    var thread = try #require(report.threads?.first)
    thread.fields["signal"] = .object(JSONObject(members: [.init(key: "name", value: .string("SIGBUS"))]))
    thread.faultAddress = Address(0x10)
    report.threads = [thread]
    let scrubbed = report.scrubbed()
    let kept = Set(scrubbed.fields.members.map(\.key))
    #expect(kept == Set(report.fields.members.map(\.key)).subtracting(["capturedMemory"]))
    #expect(scrubbed.threads?[0].signal?.name == "SIGBUS")
    #expect(scrubbed.threads?[0].faultAddress == Address(0x10))
    let trace = try #require(report.context?.trace)
    #expect(scrubbed.context?.trace == trace && scrubbed.context?.name == CrashReport.scrubbedText)
  }

  @Test func kindsAreTheSameEverywhere() throws {
    let kinds = Set(CrashReport.Kind.allCases.map(\.rawValue))
    guard case .array(let listed)? = try Self.schema().at(["properties", "kind", "enum"]) else {
      throw CocoaError(.coderInvalidValue)
    }
    #expect(Set(listed) == Set(kinds.map { .string($0) }))
    let format = try Self.text("Docs/report-format.md")
    let body = format.components(separatedBy: "### `kind`\n")[1].components(separatedBy: "\n##")[0]
    let documented = body.split(separator: "\n").filter { $0.hasPrefix("| `") }.flatMap { row in
      row.split(separator: "|")[0].matches(of: /`([A-Za-z]+)`/).map { String($0.1) }
    }
    #expect(Set(documented) == kinds)
    #expect(documented.count == kinds.count)
  }
}

/// Reads which keys each section's properties read: `get { self["key"] }`, within its braces.
private enum ModelSource {
  static func keys(in folder: URL) throws -> [String: Set<String>] {
    var keys: [String: Set<String>] = [:]
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) where file.hasSuffix(".swift") {
      var open: [(name: String, depth: Int)] = []
      var depth = 0
      for line in try String(contentsOf: folder.appending(path: file), encoding: .utf8).split(separator: "\n") {
        if let type = line.firstMatch(of: /(struct|extension|enum) ([A-Z][A-Za-z.]*)/), line.hasSuffix("{") {
          open.append((String(type.2), depth))
          let name = open.map(\.name).joined(separator: ".")
          if line.contains(": ReportSection") { keys[name, default: []] = keys[name] ?? [] }
        }
        if let key = line.firstMatch(of: /get \{ self\["([A-Za-z]+)"\] \}/) {
          keys[open.map(\.name).joined(separator: "."), default: []].insert(String(key.1))
        }
        depth += line.count { $0 == "{" } - line.count { $0 == "}" }
        while let last = open.last, depth <= last.depth { open.removeLast() }
      }
    }
    return keys
  }
}

extension JSONValue {
  fileprivate func at(_ path: [String]) -> JSONValue? {
    path.reduce(Optional(self)) { value, key in
      guard case .object(let object)? = value else { return nil }
      return object[key]
    }
  }
}
