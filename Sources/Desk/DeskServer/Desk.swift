#if Desk
  import CrashReportModel
  import CurlTransport
  import DeskStore
  import HTTPTypes
  import ReportSending
  import Symbolication

  /// An inbox for crash reports: it accepts them over HTTP, groups them, and shows them in a browser.
  public struct Desk: Sendable {
    /// How clients reach a desk, and what the desk accepts.
    public struct Configuration: Sendable {
      /// The address on which the desk listens. Unless this is a loopback address, every request needs a token.
      public var host: String
      /// The host names under which browsers may reach the desk, in addition to IP addresses and `localhost`.
      public var names: [String]
      /// The largest size of the body of a request that sends a report, in bytes. If the client compressed the body,
      /// the limit applies to the compressed size.
      public var sentLimit = 8 << 20
      /// The largest size of a report after the desk has decompressed it, in bytes.
      public var unpackedLimit = 32 << 20
      /// The largest size of a file of symbols, in bytes.
      public var symbolLimit = 2 << 30
      /// The largest size of all bodies that are in memory at a time, in bytes. Both compressed and decompressed bodies
      /// count.
      public var bodiesLimit = 64 << 20
      /// The limits for stored reports: their age, their number, and their size in bytes.
      public var retention = Retention()
      /// Finds the owners of source files.
      public var owners = CodeOwners()
      /// The destinations of alerts.
      public var hooks: [AlertHook] = []
      /// What sends them: one for each hook.
      var transport: @Sendable () -> (any Transport)? = {
        CurlTransport(.init(timeLimit: .seconds(10), client: "crashsym-desk"))
      }
      /// Seconds before each further attempt to send an alert.
      var alertPauses = [5.0, 30]
      /// How many reports, events and files of symbols a project may send in a minute; `nil` sets no limit.
      public var requestsPerMinute: Int?
      /// What that minute is measured by.
      var clock: @Sendable () -> ContinuousClock.Instant = { .now }
      /// Whether the desk only shows its data, and neither accepts nor changes anything.
      public var isReadOnly = false

      /// Sets the address on which the desk listens, and the names under which it answers.
      public init(host: String = "127.0.0.1", names: [String] = []) { (self.host, self.names) = (host, names) }
    }

    private static let longestNote = 4000
    private static let longestVersion = 200
    /// In days.
    private static let longestMute = 3650

    private let store: any ReportStore
    private let access: Access
    private let rate: RequestRate
    private let intake: Intake
    let door: ReportDoor
    let room: BodyRoom
    private let sentry: SentryIntake
    private let drops = SentryDrops()
    let late: LateSymbols
    /// `nil` if the desk takes no symbols.
    private let symbols: SymbolIntake?
    private let pages: Pages
    let counters = DeskCounters()
    private let queue = WorkQueue(width: 4)
    private let retention: Retention
    private let isReadOnly: Bool
    let live = LiveEvents()
    let programs: LiveDesk
    let alerts: AlertDesk
    private let rules: GroupForms
    private let versions: VersionPages

    /// Makes a desk that keeps its reports in `store`.
    public init(
      _ store: any ReportStore, _ tokens: Tokens, _ describer: ReportDescriber, symbols: DeskSymbols? = nil,
      _ configuration: Configuration = .init()
    ) throws {
      self.store = store
      (retention, isReadOnly) = (configuration.retention, configuration.isReadOnly)
      access = Access(
        tokens: tokens, isOpenToOthers: !HostRule.isLoopback(configuration.host),
        hosts: HostRule(names: configuration.names))
      let running = LivePrograms()
      let templates = try Templates(unread: { running.unread })
      let alerts = try Self.alerts(configuration)
      self.alerts = AlertDesk(alerts, templates, access)
      rate = RequestRate(perMinute: configuration.requestsPerMinute, clock: configuration.clock)
      room = BodyRoom(limit: configuration.bodiesLimit)
      let backlog = Backlog(store, describer) { [live] taken, report in
        if taken.acceptance == .new { live.tell(taken.group) }
        if let alert = Alert(taken, report) { alerts.send(alert) }
      }
      door = ReportDoor(
        store: store, describer: describer, commits: ReportCommits(store), backlog: backlog, counters: counters,
        limits: .init(sent: configuration.sentLimit, unpacked: configuration.unpackedLimit))
      intake = Intake(door: door, counters: counters, queue: queue)
      sentry = SentryIntake(door: door, access: access, rate: rate, dropped: drops, queue: queue)
      let late = LateSymbols(store, describer, live, queue)
      self.late = late
      self.symbols = symbols.map { [queue] in
        SymbolIntake(symbols: $0, late: late, queue: queue, limit: configuration.symbolLimit)
      }
      rules = GroupForms(store: store)
      pages = Pages(
        store: store, describer: describer, templates: templates, rules: rules, owners: configuration.owners)
      let versions = VersionPages(store: store, templates: templates, queue: queue)
      self.versions = versions
      programs = LiveDesk(running, templates, access, queue, versions) { alerts.send(Alert($0, of: $1)) }
      if !isReadOnly { backlog.resume() }
    }

    private static func alerts(_ configuration: Configuration) throws -> Alerts {
      let transports = try configuration.hooks.map { _ in
        guard let transport = configuration.transport() else { throw MissingLibrary() }
        return transport
      }
      return Alerts(
        configuration.hooks, address: configuration.names.first.map { "https://\($0)" }, transports: transports,
        pauses: configuration.alertPauses)
    }

    /// There are alerts to send, but libcurl is not installed.
    public struct MissingLibrary: Error, Sendable {}

    /// Where the desk is reached, for the links of alerts if it has no name.
    func listens(at address: String) { alerts.alerts.listens(at: address) }

    /// Answers a request. It never throws: an error also becomes an answer. `HEAD` gets the answer to `GET`; the server
    /// leaves out the body.
    public func answer(to wanted: DeskRequest) async -> DeskAnswer {
      var request = wanted
      if wanted.method == "HEAD" { request.method = "GET" }
      var answer: DeskAnswer
      do {
        try access.checkHost(request)
        answer = try await dispatch(request)
      } catch let refusal as Refusal {
        answer = failure(refusal, request)
      } catch {
        DeskLog.complain("\(request.method) \(request.path): \(error)")
        answer = failure(Refusal(.busy, "the desk cannot answer; its log says why"), request)
      }
      for (name, value) in Self.safeHeaders { answer.headers[name] = value }
      return answer
    }

    /// Only the desk's own script runs, nothing is loaded from elsewhere, and no other site frames a page or reads it.
    private static let safeHeaders: [(HTTPField.Name, String)] = [
      (
        .contentSecurityPolicy,
        """
        default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; form-action 'self'; \
        base-uri 'none'; frame-ancestors 'none'
        """
      ),
      (.xContentTypeOptions, "nosniff"), (HTTPField.Name("Referrer-Policy")!, "same-origin"),
      (HTTPField.Name("Cross-Origin-Opener-Policy")!, "same-origin"),
      (HTTPField.Name("Cross-Origin-Resource-Policy")!, "same-origin"), (.cacheControl, "no-store"),
    ]

    private func failure(_ refusal: Refusal, _ request: DeskRequest) -> DeskAnswer {
      var answer =
        request.path.hasPrefix("/api/")
        ? Intake.refusal(refusal)
        : .page(pages.failure("\(refusal.kind.rawValue)", refusal.reason), refusal.status)
      if refusal.kind == .unauthorized { answer.headers[.wwwAuthenticate] = "Basic realm=\"crashsym desk\"" }
      return answer
    }

    /// Removes reports beyond the limits of the retention, now and every hour, until its task is cancelled.
    public func tidy() async {
      guard !isReadOnly else { return }
      repeat {
        do {
          _ = try await queue.run { [store, retention] in try store.remove(retention, now: .now) }
        } catch {
          DeskLog.complain("old reports were not removed: \(error)")
        }
        try? await Task.sleep(for: .seconds(3600))
      } while !Task.isCancelled
    }

    /// Symbolicates reports whose symbols arrive later, until its task is cancelled.
    public func fillInLate() async {
      if !isReadOnly { await late.run() }
    }

    /// Sends a sign of life to all listening browsers at regular intervals, until its task is cancelled.
    public func beat() async {
      while !Task.isCancelled {
        try? await Task.sleep(for: .seconds(15))
        live.beat()
        programs.feed.listeners.send(": still here\n\n")
      }
    }

    // MARK: Paths

    private func dispatch(_ request: DeskRequest) async throws -> DeskAnswer {
      if isReadOnly, request.method != "GET" { throw Refusal(.forbidden, "this desk is read-only") }
      let parts = request.path.split(separator: "/").map(String.init)
      switch (request.method, parts.first, parts.count) {
      case ("GET", "healthz", 1): return try await health()
      case ("POST", "api", 2) where parts[1] == "reports":
        let project: String?
        do {
          project = try access.checkSender(request)
          try rate.take(project)
        } catch {
          counters.countRefusal()
          throw error
        }
        return await intake.answer(to: request, project: project)
      case ("POST", "api", 2) where parts[1] == "starts":
        _ = try access.checkSender(request)
        return try await versions.start(request)
      case ("POST", "api", 2) where parts[1] == "symbols":
        try rate.take(try access.checkSender(request))
        guard let symbols else { break }
        return try await symbols.answer(to: request)
      case ("POST", "api", 3) where parts[1] == "live":
        _ = try access.checkSender(request)
        return try await programs.push(parts[2], request)
      case ("POST", "api", 3):
        guard let form = SentryIntake.Form(rawValue: parts[2]) else { break }
        return await intake.answering { try await sentry.answer(to: request, project: parts[1], form) }
      default: break
      }
      try access.checkReader(request)
      if parts.first == "alerts", let answer = try await alerts.answer(parts, to: request) { return answer }
      if parts.first == "live", let answer = try await programs.answer(parts, to: request) { return answer }
      switch (request.method, parts.first, parts.count) {
      case ("GET", nil, 0):
        // Before the page is read: what comes meanwhile changes the mark.
        let mark = live.mark
        return try await page { try pages.inbox(request.query, live: mark) }
      case ("GET", "desk.css", 1): return DeskAnswer(.ok, "text/css; charset=utf-8", Array(DeskStyle.sheet.utf8))
      case ("GET", "desk.js", 1):
        return DeskAnswer(.ok, "text/javascript; charset=utf-8", Array((DeskScript.text + LiveScript.text).utf8))
      case ("GET", "events", 1): return events()
      case ("GET", "versions", 1): return try await versions.page()
      case ("GET", "metrics", 1): return try await metrics()
      case ("GET", "groups", 2): return try await group(parts[1], request)
      case ("POST", "groups", 3): return try await change(parts[1], parts[2], request)
      case ("GET", "reports", 2...3):
        guard let id = ReportID(parts[1]) else { break }
        return try await report(id, parts.count == 3 ? parts[2] : nil)
      default: break
      }
      throw Refusal(.notFound, "there is no such page")
    }

    private func page(_ text: @escaping @Sendable () throws -> String?) async throws -> DeskAnswer {
      guard let text = try await queue.run(text) else { throw Refusal(.notFound, "there is no such page") }
      return .page(text)
    }

    private func events() -> DeskAnswer {
      var answer = DeskAnswer(.ok, "text/event-stream", Array("retry: 3000\n\n".utf8))
      answer.events = { [live] in try live.listen() }
      return answer
    }

    private func health() async throws -> DeskAnswer {
      _ = try await queue.run { [store] in try store.totals(now: .now) }
      return .text("ok\n")
    }

    private func metrics() async throws -> DeskAnswer {
      let totals = try await queue.run { [store] in try store.totals(now: .now) }
      let own = counters.text(totals, waiting: door.backlog.count, held: room.count)
      let text = own + programs.metrics + alerts.alerts.metrics + drops.text
      return DeskAnswer(.ok, "text/plain; version=0.0.4; charset=utf-8", Array(text.utf8))
    }

    private func report(_ id: ReportID, _ form: String?) async throws -> DeskAnswer {
      await door.backlog.described(id)
      let bytes: [UInt8]?
      switch form {
      case nil: return try await page { [pages] in try pages.report(id) }
      case "raw.json": bytes = try await queue.run { [store] in try store.bytes(of: id) }
      case "scrubbed.json": bytes = try await queue.run { [pages] in try pages.scrubbed(id) }
      default: bytes = nil
      }
      guard let bytes else { throw Refusal(.notFound, "there is no such report") }
      return DeskAnswer(.ok, "application/json", bytes)
    }

    // MARK: Groups

    private func group(_ fingerprint: String, _ request: DeskRequest) async throws -> DeskAnswer {
      guard ReportDescriber.isFingerprint(fingerprint) else { throw Refusal(.notFound, "there is no such group") }
      let mark = live.mark
      return try await access.pageWithForm(request) { proof in
        try await page { [pages] in try pages.group(fingerprint, request.query, proof: proof, live: mark) }
      }
    }

    private func change(_ fingerprint: String, _ what: String, _ request: DeskRequest) async throws -> DeskAnswer {
      guard ReportDescriber.isFingerprint(fingerprint) else { throw Refusal(.notFound, "there is no such group") }
      let fields = try await access.form(request)
      if ["merge", "split", "undo"].contains(what) {
        guard let next = try await queue.run({ [rules] in try rules.obey(what, fields, of: fingerprint) }) else {
          throw Refusal(.notFound, "there is no such group or rule")
        }
        live.tell(fingerprint)
        return .redirect(to: next)
      }
      let isThere: Bool
      switch what {
      case "state":
        let state = try Self.state(fields)
        isThere = try await queue.run { [store] in try store.setState(state, of: fingerprint, now: .now) }
      case "notes":
        let text = String((fields["text"] ?? "").replacing("\r\n", with: "\n").prefix(Self.longestNote))
        guard text.contains(where: { !$0.isWhitespace }) else { throw Refusal(.unprocessable, "the note is empty") }
        isThere = try await queue.run { [store] in try store.addNote(text, to: fingerprint, now: .now) }
      default: isThere = false
      }
      guard isThere else { throw Refusal(.notFound, "there is no such group") }
      live.tell(fingerprint)
      return .redirect(to: "/groups/\(fingerprint)")
    }

    private static func state(_ fields: FormFields) throws -> GroupState {
      switch fields["state"] {
      case "open": return .open
      case "muted":
        guard let days = fields["days"], !days.isEmpty else { return .muted(until: nil) }
        guard let days = Int(days), (1...longestMute).contains(days) else {
          throw Refusal(.unprocessable, "mute a group for 1 to \(longestMute) days, or forever")
        }
        return .muted(until: Timestamp.now.adding(days: days))
      case "resolved":
        let version = String((fields["version"] ?? "").harmless.prefix(longestVersion))
        return .resolved(version: version.isEmpty ? nil : version)
      default: throw Refusal(.unprocessable, "the state must be open, resolved or muted")
      }
    }
  }
#endif
