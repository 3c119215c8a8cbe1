#if Desk
  import CrashReportModel
  import Dispatch
  import ReportSending
  import Synchronization

  /// Sends alerts to the operator's hooks, each on a separate queue, so that a slow or failing hook delays no other
  /// hook.
  final class Alerts: Sendable {
    /// What became of a hook's alerts since the start.
    struct Record: Sendable, Equatable {
      var sent = 0
      var failed = 0
      /// They came while too many waited.
      var dropped = 0
      var lastSent: Timestamp?
      /// Why the last one failed; `nil` if it did not.
      var failure: String?
      var failedAt: Timestamp?
    }

    private struct State {
      /// When an alert of a key was last sent.
      var last: [String: Timestamp] = [:]
      var heldBack = 0
      /// The desk's own address, for links, without a slash at its end.
      var address: String
      var waiting: [Int]
      var records: [Record]
    }

    private static let hour: Int64 = 3_600_000_000
    private static let mostWaiting = 50
    private static let mostKeys = 10_000

    let hooks: [AlertHook]
    private let hasName: Bool
    private let transports: [any Transport]
    private let queues: [DispatchQueue]
    /// Seconds before each further attempt.
    private let pauses: [Double]
    private let state: Mutex<State>

    /// - Parameters:
    ///   - address: The desk's own address, for links, without a slash at its end; `nil` if it has no name.
    ///   - transports: One for each hook.
    init(_ hooks: [AlertHook], address: String?, transports: [any Transport], pauses: [Double]) {
      (self.hooks, self.transports, self.pauses, hasName) = (hooks, transports, pauses, address != nil)
      queues = hooks.map { _ in DispatchQueue(label: "desk.alerts", qos: .utility) }
      state = Mutex(
        State(address: address ?? "", waiting: hooks.map { _ in 0 }, records: hooks.map { _ in Record() }))
    }

    /// Where the desk is reached, unless it has a name.
    func listens(at address: String) {
      if !hasName { state.withLock { $0.address = address } }
    }

    /// Sends an alert, unless one with its key was sent within an hour. It returns at once.
    func send(_ alert: Alert) {
      guard !hooks.isEmpty, mayBeSent(alert) else { return }
      for (index, hook) in hooks.enumerated() where hook.wants(alert.kind) { enqueue(alert, for: index) }
    }

    private func mayBeSent(_ alert: Alert) -> Bool {
      guard !alert.key.isEmpty else { return true }
      return state.withLock { state in
        let now = alert.time.microseconds
        if let last = state.last[alert.key], now - last.microseconds < Self.hour {
          state.heldBack += 1
          return false
        }
        if state.last.count >= Self.mostKeys {
          state.last = state.last.filter { now - $0.value.microseconds < Self.hour }
        }
        // So many within an hour are a fault of the whole: people have heard enough.
        guard state.last.count < Self.mostKeys else {
          state.heldBack += 1
          return false
        }
        state.last[alert.key] = alert.time
        return true
      }
    }

    private func enqueue(_ alert: Alert, for index: Int) {
      let isTaken = state.withLock { state in
        guard state.waiting[index] < Self.mostWaiting else {
          state.records[index].dropped += 1
          return false
        }
        state.waiting[index] += 1
        return true
      }
      guard isTaken else { return }
      attempt(alert, for: index, 0)
    }

    /// A later attempt does not wait in the queue, so that other alerts are sent in the meantime.
    private func attempt(_ alert: Alert, for index: Int, _ number: Int) {
      let pause = number == 0 ? 0 : pauses[number - 1]
      queues[index].asyncAfter(deadline: .now() + pause) { [self] in
        let failure = post(alert, to: index)
        if failure != nil, number < pauses.count {
          note(failure, of: index, isLast: false)
          attempt(alert, for: index, number + 1)
        } else {
          note(failure, of: index, isLast: true)
        }
      }
    }

    /// Why sending failed; `nil` if it did not fail. Of the URL, the text contains only the host.
    private func post(_ alert: Alert, to index: Int) -> String? {
      let hook = hooks[index]
      let request = HTTPRequest(
        url: hook.address.text, headers: [.init("Content-Type", "application/json")],
        body: alert.body(hook.form, base: state.withLock { $0.address }))
      do throws(TransportFailure) {
        let status = try transports[index].send(request).status
        return (200..<300).contains(status) ? nil : "it answered \(status)"
      } catch {
        return error.what
      }
    }

    private func note(_ failure: String?, of index: Int, isLast: Bool) {
      state.withLock { state in
        if isLast { state.waiting[index] -= 1 }
        state.records[index].failure = failure
        if failure == nil {
          state.records[index].sent += 1
          state.records[index].lastSent = .now
        } else {
          state.records[index].failedAt = .now
          if isLast { state.records[index].failed += 1 }
        }
      }
    }

    /// What became of each hook's alerts.
    var records: [Record] { state.withLock { $0.records } }

    /// How many were not sent, since there was one of their key within an hour.
    var heldBack: Int { state.withLock { $0.heldBack } }

    /// Lines for `/metrics`.
    var metrics: String {
      let records = records
      let results = [
        ("sent", records.map(\.sent)), ("failed", records.map(\.failed)), ("dropped", records.map(\.dropped)),
      ].map { "crashsym_desk_alerts_total{result=\"\($0)\"} \($1.reduce(0, +))\n" }.joined()
      return """
        # HELP crashsym_desk_alerts_total Alerts since the start, counted for each hook.
        # TYPE crashsym_desk_alerts_total counter
        \(results)# HELP crashsym_desk_alerts_held_back_total Alerts of which there was one within an hour, since the start.
        # TYPE crashsym_desk_alerts_held_back_total counter
        crashsym_desk_alerts_held_back_total \(heldBack)
        # HELP crashsym_desk_alert_hooks_failing Hooks whose last alert failed.
        # TYPE crashsym_desk_alert_hooks_failing gauge
        crashsym_desk_alert_hooks_failing \(records.count { $0.failure != nil })

        """
    }
  }
#endif
