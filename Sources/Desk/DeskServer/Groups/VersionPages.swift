#if Desk
  import CrashReportModel
  import DeskStore

  /// Starts of programs: how they come in, and the page that shows which versions fare well.
  struct VersionPages: Sendable {
    private static let schema = "crashkit-start/1"
    private static let longest = 4096
    private static let longestName = 200

    let store: any ReportStore
    let templates: Templates
    let queue: WorkQueue

    /// `POST /api/starts`: a program started.
    func start(_ request: DeskRequest) async throws -> DeskAnswer {
      guard request.contentType == "application/json" else {
        throw Refusal(.wrongType, "Content-Type must be application/json")
      }
      guard let key = try Intake.key(request.headers[.idempotencyKey]) else {
        throw Refusal(.bad, "the request needs the header Idempotency-Key")
      }
      let bytes = try await request.body(Self.longest)
      func text(_ value: JSONValue?) -> String? {
        value.flatMap(String.init(json:)).flatMap { $0.isEmpty ? nil : String($0.harmless.prefix(Self.longestName)) }
      }
      guard let object = try? JSONParser.parse(bytes).object,
        object["schema"].flatMap(String.init(json:)) == Self.schema, let program = text(object["program"]),
        let version = text(object["version"])
      else {
        throw Refusal(
          .unprocessable, "the body must be a JSON object with the schema \(Self.schema), a program and a version")
      }
      let isNew = try await note(ReportID(key: key), program, version)
      return DeskAnswer(
        isNew ? .accepted : .ok, "application/json", Array("{\"status\":\"\(isNew ? "new" : "known")\"}\n".utf8))
    }

    /// Records a start. Returns `false` if it is already recorded.
    func note(_ id: ReportID, _ program: String, _ version: String) async throws -> Bool {
      let start = ProgramStart(id: id, program: program, version: version, time: .now)
      return try await queue.run { [store] in try store.addStart(start) }
    }

    /// The page.
    func page() async throws -> DeskAnswer {
      let shares = try await queue.run { [store] in try store.shares(now: .now) }
      let rows = shares.map { share -> [String: Any] in
        [
          "program": Pages.text(share.program), "version": Pages.text(share.version), "starts": share.starts,
          "crashes": share.crashes, "good": "\(Figures.decimal((share.good * 1000).rounded(.down) / 10)) %",
        ]
      }
      return .page(templates.page("versions", title: "Versions", ["rows": rows, "isEmpty": rows.isEmpty]))
    }

    static let template = """
      <h1 class="desk">Versions</h1>
      {{#isEmpty}}<p>No program has reported a start.</p>{{/isEmpty}}
      {{^isEmpty}}<table class="desk" tabindex="0" aria-label="Versions"><thead><tr><th>Program</th><th>Version</th><th>Starts</th><th>Crashes</th><th>Ended well</th></tr></thead>
      <tbody>{{#rows}}<tr><th scope="row">{{program}}</th><td>{{version}}</td><td>{{starts}}</td><td>{{crashes}}</td><td class="number">{{good}}</td></tr>
      {{/rows}}</tbody></table>{{/isEmpty}}
      <p class="note">For the last 30 days. A start ended well if there was no crash report for it.</p>
      """
  }
#endif
