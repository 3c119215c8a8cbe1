// Measures captures and prints Markdown tables. capture-benchmark [--quick] [captures] [together] [rest]: all, where none is
// named.

import Foundation

@main
struct Main {
  static func main() throws {
    let isQuick = CommandLine.arguments.contains("--quick")
    let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let programs = Programs(folder: URL(filePath: executable).deletingLastPathComponent())

    print("Median (best); one process a measurement. \(isQuick ? "Quick: few repetitions, not for the record." : "")\n")
    let tables = Set(CommandLine.arguments.dropFirst().filter { !$0.hasPrefix("-") })
    let wanted = { (table: String) in tables.isEmpty || tables.contains(table) }
    if wanted("captures") {
      let quick = [1: 3, 64: 3, 1000: 1, 10000: 1]
      try printCaptures(programs, rounds: isQuick ? quick : [1: 41, 64: 41, 1000: 11, 10000: 5])
    }
    if wanted("together") {
      try printSharedCrashes(programs, rounds: isQuick ? 2 : 41, runtimeRounds: isQuick ? 1 : 11)
    }
    if wanted("rest") { try printRest(programs, rounds: isQuick ? 3 : 41) }
  }

  private static func printCaptures(_ programs: Programs, rounds: [Int: Int]) throws {
    print(
      "| threads × 45 frames | bare unwinding, no file (ms) | CrashKit (ms) | Swift runtime, no symbols (ms) "
        + "| Swift runtime (ms) | CrashKit's report (bytes) | runtime's (bytes) |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for (threads, rounds) in rounds.sorted(by: { $0.key < $1.key }) {
      var times = CaptureTimes(threads: threads)
      // The runtime's backtracer takes half a minute for 1,000 threads.
      let runtimeRounds = threads > 1000 ? 0 : threads > 64 ? min(rounds, 3) : min(rounds, 11)
      for round in 0..<rounds { try times.measure(programs, withRuntime: round < runtimeRounds) }
      print(
        "| \(threads) | \(times.bare.milliseconds) | \(times.crashKit.milliseconds) "
          + "| \(times.runtimeWithoutSymbols.milliseconds) | \(times.runtime.milliseconds) "
          + "| \(times.crashKitBytes) | \(times.runtimeBytes) |")
      fflush(nil)
    }
    print()
  }

  private static func printSharedCrashes(_ programs: Programs, rounds: Int, runtimeRounds: Int) throws {
    print("| \(SharedCrashTimes.threads) threads crash at once | finished file (ms) | death (ms) | no report | hung |")
    print("| --- | ---: | ---: | ---: | ---: |")
    var contenders = SharedCrashTimes.contenders
    for round in 0..<rounds {
      for i in contenders.indices where contenders[i].crashKit || round < runtimeRounds {
        try contenders[i].measure(programs)
      }
    }
    for contender in contenders { print(contender.row) }
    print()
    fflush(nil)
  }

  private static func printRest(_ programs: Programs, rounds: Int) throws {
    var times = RestTimes()
    for _ in 0..<rounds { try times.measure(programs) }
    print("| | µs | µs of processor time |\n| --- | ---: | ---: |")
    for row in times.rows { print(row) }
  }
}
