#if Desk
  import CrashReportModel
  import DeskStore
  import HTTPTypes

  /// Live programs: what they push, and their pages.
  struct LiveDesk: Sendable {
    let programs: LivePrograms
    let feed: LiveFeed
    private let pages: LivePages
    private let access: Access
    private let queue: WorkQueue
    private let versions: VersionPages
    /// Is called when a metric turns critical.
    private let onCritical: @Sendable (LivePush.Event, LiveProgram) -> Void

    init(
      _ programs: LivePrograms, _ templates: Templates, _ access: Access, _ queue: WorkQueue, _ versions: VersionPages,
      onCritical: @escaping @Sendable (LivePush.Event, LiveProgram) -> Void = { _, _ in }
    ) {
      pages = LivePages(templates: templates)
      feed = LiveFeed(programs, pages)
      (self.programs, self.access, self.queue, self.versions, self.onCritical) =
        (programs, access, queue, versions, onCritical)
    }

    // MARK: Pushes

    /// `POST /api/live/ID`: a program says how it fares. The answer has the thresholds that people want.
    func push(_ id: String, _ request: DeskRequest) async throws -> DeskAnswer {
      guard let id = ReportID(id)?.text else { throw Refusal(.notFound, "an id must have 32 hexadecimal digits") }
      guard request.contentType == "application/json" else {
        throw Refusal(.wrongType, "Content-Type must be application/json")
      }
      let push = try LivePush(try await request.body(LivePush.longest))
      let taken = try programs.take(push, of: id, at: .now)
      // A desk that was started again knows the start from before.
      if taken.isFirst, let version = push.version {
        _ = try await versions.note(ReportID(key: "live \(id)"), push.name, version)
      }
      // Of many events at once, as after a time without the desk, the last ones are news.
      for event in taken.fresh.suffix(5) where event.side == .critical {
        feed.tell(event, of: taken.program)
        onCritical(event, taken.program)
      }
      return DeskAnswer(.ok, "application/json", Self.answer(taken.program).json.utf8 + [0x0A])
    }

    private static func answer(_ program: LiveProgram) -> JSONObject {
      var object = JSONObject()
      object["events"] = program.newest.json
      guard let edit = program.edits.values.map(\.number).max() else { return object }
      object["edit"] = edit.json
      let thresholds = program.edits.sorted { $0.key < $1.key }.map { name, edit in
        var threshold = JSONObject()
        threshold["metric"] = name.json
        threshold["threshold"] = edit.threshold.json
        return threshold
      }
      object["thresholds"] = thresholds.json
      return object
    }

    // MARK: Pages

    /// The answer to a request whose path begins with `/live`; `nil` if there is no such page.
    func answer(_ parts: [String], to request: DeskRequest) async throws -> DeskAnswer? {
      switch (request.method, parts.count) {
      case ("GET", 1): return .page(try await queue.run { [self] in pages.list(programs.all) })
      case ("GET", 2) where parts[1] == "events": return events(nil, request)
      case ("GET", 2): return try await page(parts[1], request)
      case ("GET", 3) where parts[2] == "events" && programs.program(parts[1]) != nil: return events(parts[1], request)
      case ("POST", 3) where parts[2] == "threshold": return try await setThreshold(parts[1], request)
      default: return nil
      }
    }

    private func events(_ id: String?, _ request: DeskRequest) -> DeskAnswer {
      let isSlow = request.query["pace"] == "slow"
      var answer = DeskAnswer(.ok, "text/event-stream", Array("retry: 3000\n\n".utf8))
      answer.events = { [feed] in try feed.listen(id, isSlow: isSlow) }
      return answer
    }

    private func page(_ id: String, _ request: DeskRequest) async throws -> DeskAnswer? {
      programs.markSeen(id)
      guard let program = programs.program(id) else { return nil }
      let hidesNominal = request.query["nominal"] == "off"
      return try await access.pageWithForm(request) { proof in
        .page(try await queue.run { [pages] in pages.program(program, hidesNominal: hidesNominal, proof: proof) })
      }
    }

    private func setThreshold(_ id: String, _ request: DeskRequest) async throws -> DeskAnswer? {
      let fields = try await access.form(request)
      guard let metric = programs.program(id)?.last.metrics.first(where: { $0.name == fields["metric"] }) else {
        return nil
      }
      guard let threshold = ThresholdText.read(fields["threshold"] ?? "", metric.unit) else {
        let limits = metric.unit == .ratio ? "from 0 to 1, or from 0 % to 100 %" : "of 0 or more, in its unit"
        throw Refusal(.unprocessable, "a threshold of this metric must be a number \(limits)")
      }
      guard programs.edit(threshold, of: metric.name, in: id, now: .now) else { return nil }
      return .redirect(to: "/live/\(id)")
    }

    // MARK: Upkeep

    /// Sends what has changed, every second, until its task is cancelled.
    func run() async {
      while !Task.isCancelled {
        try? await Task.sleep(for: .seconds(1))
        // If the desk is too busy, the next turn sends it.
        try? await queue.run { [feed] in feed.turn(.now) }
      }
    }

    /// Lines for `/metrics`.
    var metrics: String {
      let counts = programs.counts
      return """
        # HELP crashsym_desk_live_pushes_total Pushes of live programs since the start.
        # TYPE crashsym_desk_live_pushes_total counter
        crashsym_desk_live_pushes_total \(counts.pushes)
        # HELP crashsym_desk_live_programs Live programs that the desk knows.
        # TYPE crashsym_desk_live_programs gauge
        crashsym_desk_live_programs \(counts.programs)
        # HELP crashsym_desk_live_listeners Browsers that show live programs.
        # TYPE crashsym_desk_live_listeners gauge
        crashsym_desk_live_listeners \(feed.listeners.count)
        # HELP crashsym_desk_live_given_up_total Browsers that read too slowly since the start.
        # TYPE crashsym_desk_live_given_up_total counter
        crashsym_desk_live_given_up_total \(feed.listeners.givenUp)

        """
    }
  }

  extension Access {
    /// A page with a form: it gets the proof that belongs to the browser's cookie, and a cookie if the browser has none.
    func pageWithForm(
      _ request: DeskRequest, _ page: (_ proof: String) async throws -> DeskAnswer
    ) async throws -> DeskAnswer {
      let known = FormTokens.session(request.headers[.cookie])
      let session = known ?? FormTokens.newSession()
      var answer = try await page(forms.token(for: session))
      if known == nil {
        answer.headers[.setCookie] = "\(FormTokens.cookie)=\(session); Path=/; HttpOnly; SameSite=Strict"
      }
      return answer
    }
  }
#endif
