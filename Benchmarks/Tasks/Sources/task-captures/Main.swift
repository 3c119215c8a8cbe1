// A program with suspended tasks that captures itself.
//
// task-captures captures TASKS MEGABYTES ROUNDS    prints a line of milliseconds, processor milliseconds and bytes a capture
// task-captures churn SECONDS CAPTURES             prints how many tasks a second began and ended beside 1,000 suspended
//                                                  ones, with so many captures a second

import CrashKit
import Foundation
import Synchronization

final class Waiting: Sendable {
  private let continuations = Mutex<[CheckedContinuation<Void, Never>]>([])

  var count: Int { continuations.withLock { $0.count } }

  func first(_ number: Int) async -> Int { await second(number) + 1 }
  func second(_ number: Int) async -> Int { await third(number) + 1 }
  func third(_ number: Int) async -> Int {
    await withCheckedContinuation { continuation in continuations.withLock { $0.append(continuation) } }
    return number
  }

  func start(_ count: Int) async {
    for number in 0..<count { Task.detached { await self.first(number) } }
    while self.count < count { await Task.yield() }
  }
}

/// Memory in blocks of many sizes, each written to.
func allocate(megabytes: Int) -> [UnsafeMutableRawPointer] {
  var blocks: [UnsafeMutableRawPointer] = []
  var left = megabytes << 20
  while left > 0 {
    let size = 64 << (blocks.count % 8)
    let block = malloc(size)!
    memset(block, 0x5a, size)
    blocks.append(block)
    left -= size
  }
  return blocks
}

func processorMilliseconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
}

func captures(tasks: Int, megabytes: Int, rounds: Int) async throws {
  let blocks = allocate(megabytes: megabytes)
  let waiting = Waiting()
  await waiting.start(tasks)
  for _ in 0..<rounds {
    let processor = processorMilliseconds()
    let start = ContinuousClock.now
    let path = try CrashKit.capture("round")!
    let took = ContinuousClock.now - start
    let used = processorMilliseconds() - processor
    let bytes = try FileManager.default.attributesOfItem(atPath: path)[.size] as! Int
    print(took / .milliseconds(1), used, bytes)
    try FileManager.default.removeItem(atPath: path)
  }
  withExtendedLifetime((blocks, waiting)) {}
}

func churn(seconds: Int, captures: Int) async throws {
  let waiting = Waiting()
  await waiting.start(1000)
  let end = ContinuousClock.now + .seconds(seconds)
  if captures > 0 {
    let rest = 1 / Double(captures)
    Thread {
      while true {
        Thread.sleep(forTimeInterval: rest)
        if let path = try? CrashKit.capture("churn") { unlink(path) }
      }
    }.start()
  }
  let ended = await withTaskGroup(of: Int.self) { group in
    for _ in 0..<ProcessInfo.processInfo.activeProcessorCount {
      group.addTask {
        var ended = 0
        while ContinuousClock.now < end {
          await withTaskGroup(of: Int.self) { group in
            for number in 0..<64 {
              group.addTask {
                await Task.yield()
                return number
              }
            }
            await group.waitForAll()
          }
          ended += 64
        }
        return ended
      }
    }
    return await group.reduce(0, +)
  }
  print(ended / seconds)
  withExtendedLifetime(waiting) {}
}

@main
struct Main {
  static func main() async throws {
    try CrashKit.install(.init(application: .init(name: "task-captures", version: "1.0")))
    let words = CommandLine.arguments.dropFirst()
    let numbers = words.dropFirst().compactMap { Int($0) }
    switch (words.first, numbers.count) {
    case ("captures", 3): try await captures(tasks: numbers[0], megabytes: numbers[1], rounds: numbers[2])
    case ("churn", 2): try await churn(seconds: numbers[0], captures: numbers[1])
    default:
      let usage = "usage: task-captures captures TASKS MEGABYTES ROUNDS | churn SECONDS CAPTURES\n"
      FileHandle.standardError.write(Data(usage.utf8))
      exit(64)
    }
  }
}
