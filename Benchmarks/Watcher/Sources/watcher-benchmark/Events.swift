import Glibc
import Watcher
import WatcherJournal

/// What an event costs: from the sample that changes sides to who listens, with its breadcrumb; and in the journal.
func events(_ isQuick: Bool) async throws {
  let count = isQuick ? 200 : 5000
  let manager = Watcher.MetricManager(metricProvider: Pendulum("pendulum"), threshold: 0.5)
  let quiet = Watcher.MetricManager(metricProvider: Pendulum("quiet"), threshold: 2)
  let provider = Watcher.EventProvider()
  provider.register(manager, for: manager.metric)
  var received = provider.events.makeAsyncIterator()
  func perFetch(_ manager: Watcher.MetricManager, listening: Bool) async -> Double {
    var best = Double.infinity
    for _ in 0..<(isQuick ? 2 : 5) {
      let start = nanoseconds(CLOCK_PROCESS_CPUTIME_ID)
      for _ in 0..<count {
        _ = await manager.fetch()
        if listening { _ = await received.next() }
      }
      best = min(best, (nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - start) / Double(count))
    }
    return best
  }
  // The first is on the nominal side, which is no event.
  _ = await manager.fetch()
  _ = await quiet.fetch()
  let without = await perFetch(quiet, listening: false)
  let with = await perFetch(manager, listening: true)

  let folder = "/tmp/watcher-benchmark-\(getpid())"
  mkdir(folder, 0o700)
  defer {
    for end in ["", "-wal", "-shm"] { unlink("\(folder)/events.sqlite\(end)") }
    rmdir(folder)
  }
  let journal = try Watcher.Journal(path: "\(folder)/events.sqlite")
  var number = 0.0
  let kept = cost(rounds: isQuick ? 2 : 5, calls: isQuick ? 20 : 500) {
    number += 1
    let event = Watcher.MetricThresholdEvent(
      date: number, state: .critical, value: 0.9, metric: .cpuLoad, threshold: 0.8)
    do { try journal.record(event) } catch { fatalError("\(error)") }
  }
  print("| one | µs of CPU |\n| --- | ---: |")
  print("| sample through a manager, no event | \(tenths(without / 1000)) |")
  print("| sample that is an event, received by a listener | \(tenths(with / 1000)) |")
  print("| event written to the journal | \(tenths(kept / 1000)) |\n")
}
