// An index past the end of an array, on a worker thread while others wait for work: echo 4711 | worker-index

import CrashKit
import Foundation

/// A job as it stands in the queue.
struct Job: Sendable {
  var customer: Int
  var amounts: [Int]
}

@inline(never)
func monthlyAverage(of job: Job, month: Int) -> Int {
  // The mistake: months are counted from 1 and the array from 0.
  let last = job.amounts[month]
  return (job.amounts[0] + last) / 2
}

@inline(never)
func process(_ job: Job) -> Int {
  CrashKit.record("processing", category: "jobs", attributes: ["customer": "\(job.customer)"])
  return monthlyAverage(of: job, month: 12)
}

/// A thread whose name the system knows: `Thread.name` may not reach it while the thread is still being started.
func startThread(_ name: String, _ body: @escaping @Sendable () -> Void) {
  Thread {
    try? name.write(toFile: "/proc/thread-self/comm", atomically: false, encoding: .utf8)
    body()
  }.start()
}

/// Works off the jobs that come as customer numbers, one a line, on standard input.
func workOffInput() {
  while let line = readLine(), let customer = Int(line) {
    let job = Job(customer: customer, amounts: [10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120])
    print(process(job))
  }
  exit(0)
}

/// Waits for work that never comes.
func waitForWork(_ queue: DispatchSemaphore) {
  queue.wait()
}

@main
struct Main {
  static func main() throws {
    try CrashKit.install(.init(application: .init(name: "worker-index", version: "1.0")))
    CrashKit.record("started", category: "lifecycle")

    let emptyQueue = DispatchSemaphore(value: 0)
    for number in 1...3 {
      startThread("worker \(number)") { waitForWork(emptyQueue) }
    }
    startThread("reader") { workOffInput() }
    emptyQueue.wait()
  }
}
