import CoreMetrics
import Synchronization

/// What happened, in order.
final class Journal: Sendable {
  private struct State {
    var lines: [String] = []
    var waiting: [Waiting] = []

    func has(_ waiting: Waiting) -> Bool { lines.count { $0 == waiting.line } >= waiting.times }
  }

  private struct Waiting {
    var line: String
    var times: Int
    var continuation: CheckedContinuation<Void, Never>
  }

  private let state = Mutex(State())

  var lines: [String] { state.withLock { $0.lines } }

  func add(_ line: String) {
    let ready = state.withLock { state in
      state.lines.append(line)
      let all = state.waiting
      state.waiting = all.filter { !state.has($0) }
      return all.filter { state.has($0) }
    }
    for waiting in ready { waiting.continuation.resume() }
  }

  /// Waits until such a line is there, so often.
  func wait(for line: String, times: Int = 1) async {
    await withCheckedContinuation { continuation in
      let waiting = Waiting(line: line, times: times, continuation: continuation)
      let isThere = state.withLock { state in
        if state.has(waiting) { return true }
        state.waiting.append(waiting)
        return false
      }
      if isThere { continuation.resume() }
    }
  }
}

/// Counters that write `LABEL KIND` for each count, and `counter LABEL KIND` when they are made.
struct JournalMetrics: MetricsFactory {
  private final class Handler: CounterHandler {
    let name: String

    init(_ name: String) { self.name = name }

    func increment(by amount: Int64) {
      for _ in 0..<amount { ServiceProbe.journal.add(name) }
    }

    func reset() {}
  }

  func makeCounter(label: String, dimensions: [(String, String)]) -> CounterHandler {
    let name = ([label] + dimensions.filter { $0.0 == "kind" }.map(\.1)).joined(separator: " ")
    ServiceProbe.journal.add("counter \(name)")
    return Handler(name)
  }

  func makeMeter(label: String, dimensions: [(String, String)]) -> MeterHandler { NOOPMetricsHandler.instance }

  func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> RecorderHandler {
    NOOPMetricsHandler.instance
  }

  func makeTimer(label: String, dimensions: [(String, String)]) -> TimerHandler { NOOPMetricsHandler.instance }

  func destroyCounter(_ handler: CounterHandler) {}
  func destroyMeter(_ handler: MeterHandler) {}
  func destroyRecorder(_ handler: RecorderHandler) {}
  func destroyTimer(_ handler: TimerHandler) {}
}
