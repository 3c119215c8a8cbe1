#if Desk
  import CrashReportModel
  import DeskStore
  import HTTPTypes

  /// `POST /api/PROJECT/envelope/` and `/api/PROJECT/store/`: takes the events that Sentry's clients send.
  struct SentryIntake: Sendable {
    let door: ReportDoor
    let access: Access
    let rate: RequestRate
    let dropped: SentryDrops
    let queue: WorkQueue

    /// - Throws: ``Refusal``, or the error of the store.
    func answer(to request: DeskRequest, project: String, _ form: Form) async throws -> DeskAnswer {
      guard Tokens.isName(project) else {
        throw Refusal(.notFound, "a project's name is at most 64 letters, digits, hyphens, dots and underscores")
      }
      // A form of another site's page cannot have these types without asking first.
      guard request.contentType == form.contentType else {
        throw Refusal(.wrongType, "Content-Type must be \(form.contentType)")
      }
      let packing = try Packing(request.headers[.contentEncoding])
      let key = Self.key(request)
      // Without a key outside, it is within.
      let isKnown = key != nil || form == .store
      let sender = isKnown ? try check(key) : nil
      await door.room()
      let sent = try await request.body(door.limits.sent)
      let (found, owner) = try await queue.run { [self] in
        let bytes = try packing.unpack(sent, limit: door.limits.unpacked)
        try request.hold(bytes.count)
        switch form {
        case .store: return (try event(bytes[...], nil, project), sender)
        case .envelope:
          let envelope = try SentryEnvelope(bytes)
          let within = isKnown ? sender : try check(Self.keyOfAddress(envelope.header["dsn"]))
          return (try events(of: envelope, project), within)
        }
      }
      var acceptance: Acceptance?
      if let report = found.report {
        acceptance = try await door.take(report, of: owner ?? project, waits: true)
      }
      for type in found.dropped { dropped.count(type) }
      return Self.answer(found, acceptance)
    }

    /// The two ways in which clients send.
    enum Form: String {
      case envelope, store

      var contentType: String { self == .envelope ? "application/x-sentry-envelope" : "application/json" }
    }

    // MARK: Events

    private struct Found {
      var eventID: String?
      var report: CheckedReport?
      /// The types of the items that are left out.
      var dropped: [String] = []
    }

    private func events(of envelope: SentryEnvelope, _ project: String) throws -> Found {
      var found = Found()
      found.eventID = StoredSentryEvent.eventID(envelope.header)
      for item in envelope.items {
        // An envelope has one event at most.
        guard item.type == "event", found.report == nil else {
          found.dropped.append(item.type)
          continue
        }
        let event = try event(item.payload, found.eventID, project)
        (found.eventID, found.report) = (event.eventID, event.report)
      }
      return found
    }

    private func event(_ bytes: ArraySlice<UInt8>, _ eventID: String?, _ project: String) throws -> Found {
      let event = try StoredSentryEvent(bytes, project: project)
      let name = StoredSentryEvent.eventID(event.event) ?? eventID
      // A client that sends again sends the same name.
      let id = name.map { ReportID(key: "sentry:\(project):\($0)") } ?? ReportID(of: event.bytes)
      return Found(eventID: name, report: try door.describer.check(id, event))
    }

    private static func answer(_ found: Found, _ acceptance: Acceptance?) -> DeskAnswer {
      var object = JSONObject()
      object["id"] = found.eventID?.json
      if let report = found.report, let acceptance {
        object["status"] = (acceptance == .new ? "new" : "known").json
        object["page"] = "/reports/\(report.id.text)".json
      }
      if !found.dropped.isEmpty {
        object["dropped"] = found.dropped.json
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

    /// The key that is outside the body.
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
