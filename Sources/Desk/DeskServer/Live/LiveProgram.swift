#if Desk
  import CrashReportModel

  /// A program that pushes its readings, as the desk knows it.
  struct LiveProgram: Sendable {
    /// At most this many events of a program are kept.
    static let mostEvents = 200

    /// A threshold that people set and the program has not confirmed.
    struct Edit: Sendable, Equatable {
      var number: Int
      var threshold: Double
    }

    let id: String
    var last: LivePush
    var heard: Timestamp
    /// The newest first.
    var events: [LivePush.Event] = []
    /// The numbers of the newest event that came, and of the newest that people saw.
    var newest = 0
    var seen = 0
    var edits: [String: Edit] = [:]
    /// Grows with each change.
    var change = 0
    /// As the pages show it.
    var isSilent = false

    init(id: String, last: LivePush, heard: Timestamp) { (self.id, self.last, self.heard) = (id, last, heard) }

    /// Events that people have not seen.
    var unread: Int { events.count { $0.number > seen } }

    /// Metrics on the wrong side of their threshold.
    var critical: [LivePush.Metric] { last.metrics.filter { $0.side == .critical } }

    /// Whether it has missed some pushes.
    func isLate(_ now: Timestamp) -> Bool {
      !last.hasEnded && now.microseconds - heard.microseconds > Int64(max(10, last.pace * 4) * 1e6)
    }

    /// Takes a push in. The events that are new, the oldest first.
    mutating func take(_ push: LivePush, at now: Timestamp) -> [LivePush.Event] {
      let fresh = push.events.filter { $0.number > newest }.sorted { $0.number < $1.number }
      last = push
      // They are kept in a list of their own.
      last.events = []
      (heard, isSilent) = (now, false)
      events.insert(contentsOf: fresh.reversed(), at: 0)
      if events.count > Self.mostEvents { events.removeLast(events.count - Self.mostEvents) }
      newest = max(newest, fresh.last?.number ?? 0)
      edits = edits.filter { $0.value.number > push.edit }
      return fresh
    }
  }
#endif
