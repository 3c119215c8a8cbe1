// A server's event loops, of which one hangs.
//
// event-loop-probe MODE SECONDS
//   MODE: sleep, lock (waits for a lock that another thread has), compute, both (two loops at once), busy (each loop is
//         busy, for less than the threshold at a time), idle (prints how often the event loops' threads ran), shutdown (the group is shut down under the detector's eyes),
//         server (nothing hangs under three detectors: prints the share of a processor that the process takes), unwatched
//         (the same without detectors)
import CrashKit
import CrashKitNIO
import Dispatch
import Foundation
import NIOCore
import NIOPosix

@inline(never) func blockAsleep(_ seconds: Double) { usleep(useconds_t(seconds * 1_000_000)) }

@inline(never) func blockAtWork(_ seconds: Double) {
  let end = Date().addingTimeInterval(seconds)
  while Date() < end {}
}

@inline(never) func waitForLock(_ seconds: Double) {
  let lock = NSLock()
  let isTaken = DispatchSemaphore(value: 0)
  Thread.detachNewThread {
    lock.lock()
    isTaken.signal()
    usleep(useconds_t(seconds * 1_000_000))
    lock.unlock()
  }
  isTaken.wait()
  lock.lock()
  lock.unlock()
}

/// Piece by piece, and what came meanwhile runs between them.
@Sendable func work(on loop: any EventLoop, until end: Date) {
  blockAsleep(0.05)
  if Date() < end { loop.execute { work(on: loop, until: end) } }
}

/// As the kernel names the calling thread: /proc/thread-self leads to PID/task/TID.
/// Runs a body when an event loop has come round so often.
@Sendable func after(_ turns: Int, of loop: any EventLoop, _ body: @escaping @Sendable () -> Void) {
  loop.execute { turns == 0 ? body() : after(turns - 1, of: loop, body) }
}

func threadID() -> String {
  (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self"))?.split(separator: "/").last
    .map(String.init) ?? ""
}

/// How many threads the process has of that name.
func threads(named name: String) -> Int {
  ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []).count { thread in
    (try? String(contentsOfFile: "/proc/self/task/\(thread)/comm", encoding: .utf8)) == "\(name)\n"
  }
}

/// How often the threads whose names begin so have waited for something.
func waits(ofThreads prefix: String) -> Int {
  ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []).reduce(0) { sum, thread in
    let folder = "/proc/self/task/\(thread)"
    guard let name = try? String(contentsOfFile: "\(folder)/comm", encoding: .utf8), name.hasPrefix(prefix),
      let status = try? String(contentsOfFile: "\(folder)/status", encoding: .utf8),
      let count = status.firstMatch(of: /\nvoluntary_ctxt_switches:\s+([0-9]+)/)
    else { return sum }
    return sum + (Int(count.1) ?? 0)
  }
}

/// The processor time of the process, in seconds.
func processorTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// An idle server with an event loop for each processor, its main queue and a task, with the detectors' own thresholds.
func serve(for seconds: Double, isWatched: Bool) -> Never {
  let group = MultiThreadedEventLoopGroup(numberOfThreads: System.coreCount)
  if isWatched {
    CrashKitNIO.watch(group)
    CrashKit.HangDetector.start()
    CrashKit.HangDetector.start(poolsOf: [.medium])
  }
  DispatchQueue.main.asyncAfter(deadline: .now() + 2) {
    let before = processorTime()
    DispatchQueue.main.asyncAfter(deadline: .now() + seconds) {
      print((processorTime() - before) / seconds)
      exit(0)
    }
  }
  dispatchMain()
}

@main struct Main {
  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst().map { $0 }
    guard arguments.count == 2, let seconds = Double(arguments[1]) else { exit(64) }
    try CrashKit.install()
    if arguments[0] == "server" || arguments[0] == "unwatched" {
      serve(for: seconds, isWatched: arguments[0] == "server")
    }
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 4)
    guard CrashKitNIO.watch(group, threshold: .milliseconds(200)) != nil else { exit(69) }
    // Its detector is armed by then, and knows when a loop is idle.
    if arguments[0] != "early" {
      usleep(1_500_000)
      print("detectors \(threads(named: "crashkit.hang"))")
    }
    let loops = Array(group.makeIterator())
    let done = DispatchGroup()
    func hang(_ index: Int, afterTurns turns: Int = 0, _ body: @escaping @Sendable () -> Void) {
      done.enter()
      after(turns, of: loops[index]) {
        print("hung thread \(threadID())")
        body()
        done.leave()
      }
    }
    switch arguments[0] {
    case "sleep": hang(1) { blockAsleep(seconds) }
    // The loop has run its first heartbeat by then. The second one comes after 100 ms.
    case "early": hang(1, afterTurns: 200) { blockAsleep(seconds) }
    case "lock": hang(2) { waitForLock(seconds) }
    case "compute": hang(3) { blockAtWork(seconds) }
    case "both":
      hang(0) { blockAsleep(seconds) }
      hang(2) { blockAsleep(seconds) }
    case "busy":
      let end = Date().addingTimeInterval(seconds)
      for loop in loops { loop.execute { work(on: loop, until: end) } }
      usleep(useconds_t(seconds * 1_000_000))
    case "shutdown":
      try group.syncShutdownGracefully()
      usleep(useconds_t(seconds * 1_000_000))
      print("detectors \(threads(named: "crashkit.hang"))")
      exit(0)
    default:
      let before = waits(ofThreads: "NIO-ELT-")
      usleep(useconds_t(seconds * 1_000_000))
      print("waits \(waits(ofThreads: "NIO-ELT-") - before)")
    }
    done.wait()
    // The loop's next heartbeat runs, and the report is written anew.
    usleep(500_000)
    try group.syncShutdownGracefully()
  }
}
