import CrashReportModel
import Testing

@Suite struct ScrubbingTests {
  private static let canary = "canary-5f1c"

  @Test func noCanarySurvives() throws {
    var report = try Fixture.report(try Fixture.text("CrashReportViewTests/Fixtures/full.json"))
    let canary = JSONValue.string(Self.canary)
    report.process?.arguments = ["--token", Self.canary]
    report.process?.fields["environment"] = .object(JSONObject(members: [.init(key: "TOKEN", value: canary)]))
    report.attributes?["session"] = canary
    report.breadcrumbs?[0].message = Self.canary
    report.breadcrumbs?[0].attributes = JSONObject(members: [.init(key: "k", value: canary)])
    report.capturedMemory?["0x0000000000000001"] = canary
    report.threads?[0].registers?["rbx"] = canary
    report.threads?[0].fields["unknown"] = canary
    report.threads?[0].frames?[0].fields["locals"] = canary
    report.images?[0].path = "/home/\(Self.canary)/api"
    report.message = "cannot reach postgres://u:\(Self.canary)@db"
    report.cause = "password=\(Self.canary)"
    report.fields["unknown"] = canary
    let unknown = JSONObject(members: [.init(key: "unknown", value: canary)])
    report.hang = CrashReport.Hang(fields: unknown)
    report.hang?.samples = [CrashReport.Hang.Sample(fields: unknown)]
    report.violation = CrashReport.Violation(fields: unknown)
    report.violation?.locks = [.init(fields: unknown)]
    report.violation?.edges = [.init(fields: unknown)]
    report.violation?.edges?[0].thread = .init(fields: unknown)
    report.violation?.edges?[0].toFrames = [.init(fields: unknown)]
    report.violation?.stacks = [.init(fields: unknown)]
    #expect(report.json.text.components(Self.canary) == 21)
    #expect(report.scrubbed().json.text.components(Self.canary) == 0)
  }

  @Test func factsThatATicketNeedsAreKept() throws {
    var report = try Fixture.report(try Fixture.text("CrashReportViewTests/Fixtures/full.json"))
    report.threads?[0].task = CrashReport.Task()
    report.threads?[0].task?.id = 7
    report.threads?[0].task?.parent = CrashReport.Task()
    report.threads?[0].task?.parent?.name = "gather"
    report.breadcrumbs?[0].task = 7
    let scrubbed = report.scrubbed()
    #expect(scrubbed.message == report.message)
    #expect(scrubbed.cause == report.cause)
    #expect(scrubbed.threads?.map(\.frames) == report.threads?.map(\.frames))
    #expect(scrubbed.threads?.first?.task == report.threads?.first?.task)
    #expect(scrubbed.threads?.first?.registers?.members.map(\.key) == ["rip", "rsp"])
    #expect(scrubbed.breadcrumbs?.map(\.time) == report.breadcrumbs?.map(\.time))
    #expect(scrubbed.breadcrumbs?.map(\.task) == [7, nil, nil])
    #expect(scrubbed.attributes?.members.map(\.key) == ["tenant", "password"])
    #expect(scrubbed.attributes?["tenant"] == .string("[scrubbed]"))
  }

  /// Only in the program's own values, and not what looks like a credential.
  @Test func keysThatAreNamedKeepTheirValues() throws {
    var report = CrashReport()
    let attributes = try JSONParser.parse(
      Array(#"{"request.id":"7f3a","tenant":"blue","url":"postgres://u:pw@db/","list":[1],"n":3}"#.utf8)
    ).object
    report.attributes = attributes
    var context = CrashReport.Context()
    context.attributes = attributes
    report.context = context
    report.threads = [CrashReport.Thread()]
    report.threads?[0].context = context
    report.breadcrumbs = [CrashReport.Breadcrumb()]
    report.breadcrumbs?[0].attributes = attributes
    report.fields["tenant"] = "blue".json
    report.process = CrashReport.Process()
    report.process?.arguments = ["blue"]
    let scrubbed = report.scrubbed(keeping: ["request.id", "url", "list", "n", "arguments", "tenant2"])
    let kept = #"{"request.id":"7f3a","tenant":"[scrubbed]","url":"postgres://***@db/","list":"[scrubbed]","n":3}"#
    #expect(scrubbed.attributes?.json.text == kept)
    #expect(scrubbed.context?.attributes == scrubbed.attributes)
    #expect(scrubbed.threads?.first?.context?.attributes == scrubbed.attributes)
    #expect(scrubbed.breadcrumbs?.first?.attributes == scrubbed.attributes)
    #expect(!scrubbed.json.text.contains("blue"))
  }

  /// Names of locks are the program's words for its parts, as names of functions are; whose home they lie in is not.
  @Test func locksKeepTheirNames() throws {
    func lock(_ name: String) -> CrashReport.HeldLock {
      var lock = CrashReport.HeldLock()
      lock.address = Address(0x1000)
      lock.type = "mutex"
      lock.name = name
      lock.takenAt = [CrashReport.Frame()]
      lock.fields["contents"] = .string(Self.canary)
      lock.takenAt?[0].fields["locals"] = .string(Self.canary)
      return lock
    }
    var report = try Fixture.report(try Fixture.text("CrashReportViewTests/Fixtures/full.json"))
    report.threads?[0].heldLocks = [lock("app.cache"), lock("/home/\(Self.canary)/app.lock")]
    report.threads?[0].waitingFor = lock("app.database")
    var violation = CrashReport.Violation()
    violation.locks = [.init(fields: JSONObject(members: [.init(key: "name", value: .string("app.cache"))]))]
    report.violation = violation
    #expect(report.json.text.components(Self.canary) == 7)
    let scrubbed = report.scrubbed()
    #expect(scrubbed.threads?[0].heldLocks?.map(\.name) == ["app.cache", "/home/[user]/app.lock"])
    #expect(scrubbed.threads?[0].waitingFor?.name == "app.database")
    #expect(scrubbed.violation?.locks?.map(\.name) == ["app.cache"])
    #expect(scrubbed.json.text.components(Self.canary) == 0)
  }
}

extension String {
  /// How often the text occurs.
  fileprivate func components(_ text: String) -> Int {
    split(separator: text, omittingEmptySubsequences: false).count - 1
  }
}
