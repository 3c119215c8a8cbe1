import Glibc
import Watcher

@main
enum Main {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard arguments.allSatisfy({ $0 == "--quick" }) else {
      let usage = "usage: watcher-benchmark [--quick]\n"
      _ = usage.withCString { write(STDERR_FILENO, $0, strlen($0)) }
      exit(64)
    }
    let isQuick = !arguments.isEmpty
    samples(isQuick)
    try await events(isQuick)
    await hour(isQuick)
    await share(isQuick)
  }

  private static func samples(_ isQuick: Bool) {
    let (rounds, calls) = isQuick ? (2, 20) : (7, 300)
    print("| one sample by itself | µs of CPU | a loop of open, read, close over its files, µs | ratio |")
    print("| --- | ---: | ---: | ---: |")
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { buffer.deallocate() }
    for provider in alone {
      let paths = files[provider.metric] ?? []
      let own = cost(rounds: rounds, calls: calls) { _ = provider.sample() }
      let bare = cost(rounds: rounds, calls: calls) { for path in paths { readFile(path, buffer) } }
      let others =
        paths.isEmpty ? "| " : "\(tenths(bare / 1000)) (\(name(of: paths))) | \(tenths(own / bare))"
      print("| \(provider.metric.name) | \(tenths(own / 1000)) | \(others) |")
    }
    let paths = Set(files.values.joined()).sorted()
    // The rest is long enough for no look to be left from the tick before.
    let own = costAfterRest(rounds: calls) { for provider in providers { _ = provider.sample() } }
    let bare = costAfterRest(rounds: calls) { for path in paths { readFile(path, buffer) } }
    print(
      "| all \(providers.count) in one tick, after a rest | \(tenths(own / 1000)) "
        + "| \(tenths(bare / 1000)) (\(paths.count) files, each once) | \(tenths(own / bare)) |\n")
  }

  private static func name(of paths: [String]) -> String {
    paths.count == 1 ? "`\(paths[0])`" : "\(paths.count) files"
  }

  /// What an hour at one sample a second leaves in memory, with a listener that never listens, and events all the time.
  private static func hour(_ isQuick: Bool) async {
    let seconds = isQuick ? 60 : 3600
    let managers = (0..<17).map { Watcher.MetricManager(metricProvider: Pendulum("pendulum.\($0)"), threshold: 0.5) }
    let provider = Watcher.EventProvider()
    for manager in managers { provider.register(manager, for: manager.metric) }
    let idle = provider.events.makeAsyncIterator()
    let slow = managers.map { $0.readings.makeAsyncIterator() }
    var marks: [Double] = []
    for second in 0..<seconds {
      for manager in managers { _ = await manager.fetch() }
      if second == seconds / 60 || second == seconds - 1 { marks.append(residentBytes()) }
    }
    withExtendedLifetime((idle, slow)) {}
    print("| memory, 17 managers, each sample an event, no listener | MB |\n| --- | ---: |")
    print("| after \(seconds / 60) s | \(tenths(marks[0] / 1e6)) |")
    print("| after \(seconds) s | \(tenths(marks[1] / 1e6)) |\n")
  }

  /// All providers at a steady pace, and what of a core that takes.
  private static func share(_ isQuick: Bool) async {
    print("| all \(providers.count) providers | share of a core, % | median second, % | aim, % |")
    print("| --- | ---: | ---: | ---: |")
    for (pace, aim) in [(1.0, "0.1"), (0.1, "1")] {
      let managers = providers.map {
        Watcher.MetricManager(metricProvider: $0, threshold: 1e12, refreshFrequency: pace)
      }
      for manager in managers { manager.start() }
      // The first samples, and the threads that they need, are not what goes on.
      try? await Task.sleep(for: .seconds(1))
      var shares: [Double] = []
      for _ in 0..<(isQuick ? 2 : 20) {
        let used = nanoseconds(CLOCK_PROCESS_CPUTIME_ID)
        let start = nanoseconds(CLOCK_MONOTONIC)
        try? await Task.sleep(for: .seconds(1))
        shares.append((nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - used) / (nanoseconds(CLOCK_MONOTONIC) - start) * 100)
      }
      for manager in managers { manager.stop() }
      let mean = shares.reduce(0, +) / Double(shares.count)
      let median = shares.sorted()[shares.count / 2]
      print("| at \(Int((1 / pace).rounded())) Hz | \(thousandths(mean)) | \(thousandths(median)) | \(aim) |")
    }
  }
}
