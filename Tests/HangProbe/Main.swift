// A program whose queues hang, each mode in its own way.
//
// hang-probe MODE HOW SECONDS
//   MODE: run-loop (the main queue under RunLoop.main.run()), dispatch-main (under dispatchMain()), main-actor (a task of
//         the main actor), queue (a serial queue of its own), idle (nothing hangs; prints the share of
//         a processor that the detector takes, and how often other threads waited), killed (kills itself when the report is
//         there), given-up (stops the detector when the report is there), fork (forks while the detector's thread puts a
//         heartbeat on an executor; ends with 1 if the fork did not wait for that)
//   HOW:  sleep or compute
import CrashKit
import Dispatch
import Foundation
import Synchronization

@inline(never) func hangAsleep(_ seconds: Double) { usleep(UInt32(seconds * 1_000_000)) }

@inline(never) func hangAtWork(_ seconds: Double) {
  let end = Date().addingTimeInterval(seconds)
  while Date() < end {}
}

func hang(_ how: String, _ seconds: Double) {
  if how == "sleep" { hangAsleep(seconds) } else { hangAtWork(seconds) }
}

/// The processor time of the thread of that name, in seconds.
func processorTime(of name: String) -> Double {
  for thread in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? [] {
    let folder = "/proc/self/task/\(thread)"
    guard (try? String(contentsOfFile: "\(folder)/comm", encoding: .utf8)) == "\(name)\n" else { continue }
    let times = (try? String(contentsOfFile: "\(folder)/schedstat", encoding: .utf8)) ?? ""
    return times.split(separator: " ").first.flatMap { Double($0) }.map { $0 / 1e9 } ?? .nan
  }
  return .nan
}

/// How often the threads but the detector's have waited for something.
func waitsOfOthers() -> Int {
  ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []).reduce(0) { sum, thread in
    let folder = "/proc/self/task/\(thread)"
    guard (try? String(contentsOfFile: "\(folder)/comm", encoding: .utf8)) != "crashkit.hang\n",
      let status = try? String(contentsOfFile: "\(folder)/status", encoding: .utf8),
      let count = status.firstMatch(of: /\nvoluntary_ctxt_switches:\s+([0-9]+)/)
    else { return sum }
    return sum + (Int(count.1) ?? 0)
  }
}

/// Waits, on the hung queue, until the first report is there.
func waitForReport() {
  let folder = ProcessInfo.processInfo.environment["CRASHKIT_DIRECTORY"] ?? "."
  func names() -> [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] }
  while !names().contains(where: { $0.hasSuffix("-hang.json") }) { usleep(10_000) }
}

/// As the kernel names the calling thread: /proc/thread-self leads to PID/task/TID.
func threadID() -> String {
  (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self"))?.split(separator: "/").last
    .map(String.init) ?? ""
}

/// Takes its time as the detector's thread gives it a heartbeat.
final class SlowExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "probe.executor")
  let isAtWork = DispatchSemaphore(value: 0)
  let isDone = Atomic(false)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)) == "crashkit.hang\n" {
      isAtWork.signal()
      usleep(100_000)
      isDone.store(true, ordering: .releasing)
    }
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

func forkBesideHeartbeat() -> Int32 {
  let executor = SlowExecutor()
  // Swift has no fork.
  guard let found = dlsym(nil, "fork") else { return 69 }
  let fork = unsafeBitCast(found, to: (@convention(c) () -> pid_t).self)
  let detector = CrashKit.HangDetector.start(threshold: .milliseconds(200), taskExecutor: executor)
  executor.isAtWork.wait()
  let begun = DispatchTime.now()
  let child = fork()
  if child == 0 { _exit(0) }
  // On a busy machine the thread may need longer than a fork waits.
  let waited = executor.isDone.load(ordering: .acquiring) || DispatchTime.now() >= begun + .milliseconds(500)
  var status: Int32 = 0
  waitpid(child, &status, 0)
  detector?.stop()
  return waited && status == 0 ? 0 : 1
}

/// Takes the signals that it blocks and sends to the process. No thread but this one is the program's own.
func takeSignals() -> Int32 {
  for signal in [SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGSYS, SIGTERM] {
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, signal)
    pthread_sigmask(SIG_BLOCK, &set, nil)
    for _ in 0..<20 {
      kill(getpid(), signal)
      var limit = timespec(tv_sec: 5, tv_nsec: 0)
      guard sigtimedwait(&set, nil, &limit) == signal else { return 1 }
    }
  }
  return 0
}

@main struct Main {
  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst().map { $0 }
    guard arguments.count == 3, let seconds = Double(arguments[2]) else { exit(64) }
    let (mode, how) = (arguments[0], arguments[1])
    try CrashKit.install()
    if mode == "fork" { exit(forkBesideHeartbeat()) }
    let queue = mode == "queue" ? DispatchQueue(label: "probe.work") : DispatchQueue.main
    guard let detector = CrashKit.HangDetector.start(threshold: .milliseconds(200), queue: queue) else { exit(69) }
    // The detector is armed by then, and knows when its queue is idle; it rests for a tenth of a second between heartbeats.
    let begin = DispatchTime.now() + .milliseconds(1500)
    if mode == "signals" {
      while processorTime(of: "crashkit.hang").isNaN { usleep(1000) }
      exit(takeSignals())
    }
    switch mode {
    case "idle":
      queue.asyncAfter(deadline: begin) {
        let before = waitsOfOthers()
        queue.asyncAfter(deadline: begin + seconds) {
          print(processorTime(of: "crashkit.hang") / (seconds + 1.5), waitsOfOthers() - before)
          exit(0)
        }
      }
    case "killed":
      queue.asyncAfter(deadline: begin) {
        waitForReport()
        kill(getpid(), SIGKILL)
      }
    case "given-up":
      queue.asyncAfter(deadline: begin) {
        waitForReport()
        detector.stop()
        // The report of a hang that was given up is the last thing that its thread does.
        while !processorTime(of: "crashkit.hang").isNaN { usleep(10_000) }
        exit(0)
      }
    case "main-actor":
      queue.asyncAfter(deadline: begin) {
        Task { @MainActor in
          hang(how, seconds)
          queue.asyncAfter(deadline: .now() + .milliseconds(300)) { exit(0) }
        }
      }
    default:
      queue.asyncAfter(deadline: begin) {
        print("hung thread \(threadID())")
        hang(how, seconds)
        // The heartbeat that waited runs first; the report is written before the detector is stopped.
        queue.asyncAfter(deadline: .now() + .milliseconds(300)) {
          detector.stop()
          exit(0)
        }
      }
    }
    if mode == "run-loop" { RunLoop.main.run() } else { dispatchMain() }
  }
}
