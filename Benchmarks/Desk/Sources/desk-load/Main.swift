import Foundation
import Glibc

/// The load of Benchmarks/Desk: `desk-load send PORT CONNECTIONS` and `desk-load bare FILE 1`, each followed by
/// `MODELS FIRST COUNT`. Prints a line of JSON.
@main
struct Main {
  static func main() throws {
    let words = CommandLine.arguments.dropFirst()
    guard words.count == 6, let first = Int(words[5]), let count = Int(words[6]), let connections = Int(words[3]) else {
      throw Failure("usage: desk-load send PORT CONNECTIONS | bare FILE 1, then MODELS FIRST COUNT")
    }
    let reports = try Reports(words[4])
    let numbers = first..<first + count
    let (start, used) = (ContinuousClock.now, processorTime())
    var times: [Duration] = []
    switch words[1] {
    case "send":
      guard let port = UInt16(words[2]) else { throw Failure("no port: \(words[2])") }
      times = try Senders(reports, numbers, port: port).run(connections: connections)
    case "bare": try BareInserts.run(reports, numbers, into: words[2])
    default: throw Failure("no such load: \(words[1])")
    }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    func share(_ part: Double) -> Double {
      times.isEmpty ? 0 : times[min(times.count - 1, Int(Double(times.count) * part))] / .milliseconds(1)
    }
    print(
      """
      {"seconds":\(seconds),"rate":\(Double(count) / seconds),"processor":\(processorTime() - used),\
      "p50":\(share(0.5)),"p99":\(share(0.99)),"longest":\(share(1))}
      """)
  }

  /// Seconds that this process had a processor.
  private static func processorTime() -> Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    let times = [usage.ru_utime, usage.ru_stime]
    return times.reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
  }
}
