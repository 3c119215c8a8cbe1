#if Desk
  import CrashReportModel
  import DeskStore
  import HTTPTypes

  /// `POST /api/PROJECT/envelope/` and `/api/PROJECT/store/`: takes the events that Sentry's clients send.
  struct SentryIntake: Sendable {
    let store: any ReportStore
    let describer: ReportDescriber
    let access: Access
    let rate: RequestRate
    let counters: DeskCounters
    let dropped: SentryDrops
    let live: LiveEvents
    let queue: WorkQueue
    let alerts: Alerts
    let limits: Intake.Limits

    /// - Throws: ``Refusal``, and what the store throws.
    func answer(to request: DeskRequest, project: String, _ form: Form) async throws -> DeskAnswer {
      guard Tokens.isName(project) else {
        throw Refusal(.notFound, "a project has letters, digits, hyphens, points and underlines, 64 at most")
      }
      // A form of another site's page cannot have these types without asking first.
      guard request.contentType == form.contentType else {
        throw Refusal(.wrongType, "Content-Type is \(form.contentType)")
      }
      let packing = try Packing(request.headers[.contentEncoding])
      let key = Self.key(request)
      // Without a key outside, it is within.
      let isKnown = key != nil || form == .store
      let sender = isKnown ? try check(key) : nil
      let sent = try await request.body(limits.sent)
      let result = try await queue.run { [self] in
        let bytes = try packing.unpack(sent, limit: limits.unpacked)
        try request.hold(bytes.count)
        switch form {
        case .store: return try take(bytes[...], nil, project, sender)
        case .envelope:
          let envelope = try SentryEnvelope(bytes)
          let within = isKnown ? sender : try check(Self.keyOfAddress(envelope.header["dsn"]))
          return try take(envelope, project, within)
        }
      }
      if let (taken, report) = result.stored {
        counters.count(taken.acceptance, bytes: report.bytes.count)
        if taken.acceptance == .new { live.tell(taken.group) }
        if let alert = Alert(taken, report) { alerts.send(alert) }
      }
      for type in result.dropped { dropped.count(type) }
      return Self.answer(result)
    }

    /// The two ways in which clients send.
    enum Form: String {
      case envelope, store

      var contentType: String { self == .envelope ? "application/x-sentry-envelope" : "application/json" }
    }

    // MARK: Events

    private struct Result {
      var eventID: String?
      var stored: (Taken, ArrivedReport)?
      /// The types of what is left out.
      var dropped: [String] = []
    }

    private func take(_ envelope: SentryEnvelope, _ project: String, _ sender: String?) throws -> Result {
      var result = Result()
      result.eventID = StoredSentryEvent.eventID(envelope.header)
      for item in envelope.items {
        // An envelope has one event at most.
        guard item.type == "event", result.stored == nil else {
          result.dropped.append(item.type)
          continue
        }
        let taken = try take(item.payload, result.eventID, project, sender)
        (result.eventID, result.stored) = (taken.eventID, taken.stored)
      }
      return result
    }

    private func take(
      _ bytes: ArraySlice<UInt8>, _ eventID: String?, _ project: String, _ sender: String?
    ) throws -> Result {
      let event = try StoredSentryEvent(bytes, project: project)
      let name = StoredSentryEvent.eventID(event.event) ?? eventID
      // A client that sends again sends the same name.
      let id = name.map { ReportID(key: "sentry:\(project):\($0)") } ?? ReportID(of: event.bytes)
      var report = try describer.describe(id, event.bytes)
      report.project = sender ?? project
      return Result(eventID: name, stored: (try store.take(report), report))
    }

    private static func answer(_ result: Result) -> DeskAnswer {
      var object = JSONObject()
      object["id"] = result.eventID?.json
      if let (taken, report) = result.stored {
        object["status"] = (taken.acceptance == .new ? "new" : "known").json
        object["page"] = "/reports/\(report.id.text)".json
      }
      if !result.dropped.isEmpty {
        object["dropped"] = result.dropped.json
        object["reason"] = "the desk keeps only events, one in each envelope".json
      }
      return DeskAnswer(.ok, "application/json", object.json.utf8 + [0x0A])
    }

    // MARK: Keys

    /// The project of a key.
    private func check(_ key: String?) throws -> String? {
      let sender = try access.checkSender(key: key)
      try rate.take(sender)
      return sender
    }

    /// The key beside the body.
    private static func key(_ request: DeskRequest) -> String? {
      if let header = request.headers[.sentryAuth] ?? request.headers[.authorization] {
        // Sentry sentry_version=7, sentry_key=KEY, sentry_client=NAME
        let parts = header.split { $0 == "," || $0 == " " }
        if let key = parts.first(where: { $0.hasPrefix("sentry_key=") }) { return String(key.dropFirst(11)) }
      }
      return request.query["sentry_key"]
    }

    /// The key of a DSN, `http://KEY@HOST/PROJECT`.
    private static func keyOfAddress(_ dsn: JSONValue?) -> String? {
      guard let text = dsn.flatMap(String.init(json:)), let start = text.firstRange(of: "://")?.upperBound,
        let end = text[start...].firstIndex(of: "@")
      else { return nil }
      return String(text[start..<end].prefix { $0 != ":" })
    }
  }

  extension HTTPField.Name {
    fileprivate static let sentryAuth = HTTPField.Name("X-Sentry-Auth")!
  }
#endif
