// An index past the end of an array, on a worker thread while others wait for work.

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
  CrashKit.record("processing", category: "jobs", level: .info, attributes: ["customer": "\(job.customer)"])
  return monthlyAverage(of: job, month: 12)
}

/// A thread that waits for a job and works it off.
func startWorker(_ number: Int, _ job: @escaping @Sendable () -> Job) {
  let thread = Thread {
    let result = process(job())
    FileHandle.standardOutput.write(Data("\(result)\n".utf8))
  }
  thread.name = "worker \(number)"
  thread.start()
}

@main
struct Main {
  static func main() throws {
    try CrashKit.install(.init(application: .init(name: "worker-index", version: "1.0")))
    CrashKit.record("started", category: "lifecycle", level: .info, attributes: [:])

    let never = DispatchSemaphore(value: 0)
    let idleAreWaiting = DispatchGroup()
    for number in 1...3 {
      idleAreWaiting.enter()
      startWorker(number) {
        idleAreWaiting.leave()
        never.wait()
        return Job(customer: 0, amounts: [])
      }
    }
    idleAreWaiting.wait()
    startWorker(4) { Job(customer: 4711, amounts: [10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120]) }
    never.wait()
  }
}
