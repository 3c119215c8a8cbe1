#if Desk
  import CrashReportModel
  import DeskStore
  import HTTPTypes

  /// `POST /api/reports`: takes a report, and answers when it is on the disk.
  struct Intake: Sendable {
    let door: ReportDoor
    let counters: DeskCounters
    let queue: WorkQueue

    func answer(to request: DeskRequest, project: String?) async -> DeskAnswer {
      await answering { try await take(request, project) }
    }

    /// The answer of this work; a refusal is counted, and an answer too.
    func answering(_ work: () async throws -> DeskAnswer) async -> DeskAnswer {
      do {
        return try await work()
      } catch let refusal as Refusal {
        counters.countRefusal()
        return Self.refusal(refusal)
      } catch {
        counters.countRefusal()
        // What the store says names files of the desk: it is for the desk's own log.
        DeskLog.complain("a report was not stored: \(error)")
        return Self.refusal(Refusal(.full, "the report could not be stored; send it again later"))
      }
    }

    private func take(_ request: DeskRequest, _ project: String?) async throws -> DeskAnswer {
      // A form of another site's page cannot have this type without asking first.
      guard request.contentType == "application/json" else {
        throw Refusal(.wrongType, "Content-Type must be application/json")
      }
      let packing = try Packing(request.headers[.contentEncoding])
      let key = try Self.key(request.headers[.idempotencyKey])
      await door.room()
      let sent = try await request.body(door.limits.sent)
      let report = try await queue.run { [door] in
        let bytes = try packing.unpack(sent, limit: door.limits.unpacked)
        try request.hold(bytes.count)
        return try door.describer.check(key.map { ReportID(key: $0) } ?? ReportID(of: bytes), bytes)
      }
      let acceptance = try await door.take(report, of: project, waits: true)
      let isDescribed = acceptance == .known || !door.backlog.contains(report.id)
      let group = isDescribed ? try await queue.run { [door] in try door.store.report(report.id)?.fingerprint } : nil
      return Self.answer(acceptance, report.id, group)
    }

    /// The name by which the sender knows the report: each attempt has the same.
    static func key(_ text: String?) throws -> String? {
      guard let text else { return nil }
      let isKey =
        (8...128).contains(text.utf8.count)
        && text.utf8.allSatisfy { byte in
          (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            || byte == UInt8(ascii: "-")
        }
      guard isKey else { throw Refusal(.bad, "Idempotency-Key must be 8 to 128 letters, digits and hyphens") }
      return text
    }

    /// Without a group if the report waits for it still.
    private static func answer(_ acceptance: Acceptance, _ id: ReportID, _ group: String?) -> DeskAnswer {
      var object = JSONObject()
      object["status"] = (acceptance == .new ? "new" : "known").json
      object["id"] = id.text.json
      object["fingerprint"] = group?.json
      object["page"] = "/reports/\(id.text)".json
      return json(object, acceptance == .new ? .accepted : .ok)
    }

    static func refusal(_ refusal: Refusal) -> DeskAnswer {
      var object = JSONObject()
      object["error"] = refusal.reason.json
      var answer = json(object, refusal.status)
      answer.headers[.retryAfter] = refusal.retryAfter.map(String.init)
      return answer
    }

    private static func json(_ object: JSONObject, _ status: HTTPResponse.Status) -> DeskAnswer {
      DeskAnswer(status, "application/json", object.json.utf8 + [0x0A])
    }
  }

  extension HTTPField.Name {
    static let idempotencyKey = HTTPField.Name("Idempotency-Key")!
  }
#endif
