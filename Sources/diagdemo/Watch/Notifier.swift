import LinuxCalls
import Watcher

/// Runs a command of the user's for each event. A few may run at once; further events are only counted.
struct Notifier {
  private let command: String
  private let environment: ProcessVariables
  private var running: [ChildProcess] = []
  /// What went wrong last, in a line.
  private(set) var trouble: String?

  private static let mostAtOnce = 8

  init(command: String, environment: ProcessVariables) {
    self.command = command
    self.environment = environment
  }

  /// Starts the command; the event is in its environment, so that nothing of it is taken for shell.
  mutating func tell(_ event: Watcher.MetricThresholdEvent) {
    reap()
    guard running.count < Self.mostAtOnce else {
      trouble = "notify: \(Self.mostAtOnce) commands are running, so there was no notification of one event"
      return
    }
    var environment = environment
    environment["WATCH_METRIC"] = event.metric.name
    environment["WATCH_STATE"] = event.state.rawValue
    environment["WATCH_VALUE"] = event.value.map { "\($0)" } ?? ""
    environment["WATCH_UNIT"] = event.metric.unit.rawValue
    environment["WATCH_THRESHOLD"] = "\(event.threshold)"
    environment["WATCH_DATE"] = "\(event.date)"
    do {
      running.append(try ChildProcess(["/bin/sh", "-c", command], environment: environment))
    } catch {
      trouble = "notify: \(error)"
    }
  }

  /// Takes leave of commands that have ended.
  mutating func reap() {
    running = running.filter { child in
      guard let status = child.status(waiting: false) else { return true }
      trouble = status == 0 ? nil : "notify: the command ended with status \(status)"
      return false
    }
  }

  /// Lets commands that were started last end.
  mutating func finish() {
    for child in running { _ = child.status(waiting: true) }
    running = []
  }
}
