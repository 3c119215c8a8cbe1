#if Desk
  import Synchronization

  /// How many items of Sentry's clients were left out, by type.
  final class SentryDrops: Sendable {
    /// What clients send besides events; a type that is not listed counts as `other`.
    private static let types: Set = [
      "attachment", "check_in", "client_report", "event", "feedback", "log", "profile", "profile_chunk", "replay_event",
      "replay_recording", "replay_video", "session", "sessions", "span", "statsd", "trace_metric", "transaction",
      "user_report",
    ]

    private let counts = Mutex<[String: Int]>([:])

    func count(_ type: String) {
      counts.withLock { $0[Self.types.contains(type) ? type : "other", default: 0] += 1 }
    }

    /// In Prometheus's text format.
    var text: String {
      let rows = counts.withLock { $0.sorted { $0.key < $1.key } }
        .map { "crashsym_desk_sentry_dropped_total{type=\"\($0.key)\"} \($0.value)\n" }.joined()
      return """
        # HELP crashsym_desk_sentry_dropped_total Items of envelopes that were left out since the start: they are no event.
        # TYPE crashsym_desk_sentry_dropped_total counter
        \(rows)
        """
    }
  }
#endif
