import CrashKit
import Foundation
import ThreadGuard

/// The sessions and the usage counters of a server. Both guard their data with locks and call each other. In the faulty
/// variants, the orders in which threads take locks form a circle: for example, one thread takes A and then B, and
/// another thread takes B and then A. No thread ever hangs, because these calls do not run at the same time.
public struct InversionWorkload: Workload {
  public static let name = "inversion"
  public static let summary = "Sessions and usage counters of a server: each has a lock and calls the other"

  public static let variants = [
    Variant("correct", "The meter reads the number of sessions before it takes its own lock"),
    Variant(
      "opposite-orders", "One method locks the store and then the meter; another locks them in the opposite order",
      planted: [Plant("lockOrderInversion", at: SessionStore.openPlaces + UsageMeter.publishPlaces)]),
    Variant(
      "circle-of-three", "Three threads lock two shards each: 1 and then 2, 2 and then 3, 3 and then 1",
      planted: [Plant("lockOrderInversion", at: Shard.movePlaces)]),
    Variant(
      "queue-and-lock", "A thread holds a lock and waits for work on a queue, and that work takes the same lock",
      planted: [Plant("lockOrderInversion", at: Thumbnails.storePlaces + Thumbnails.drawPlaces)]),
  ]

  public init() {}

  public func run(_ variant: Variant, in context: WorkloadContext) async throws {
    CrashKit.record("server started", category: "server")
    switch variant.name {
    case "circle-of-three": await moveAround()
    case "queue-and-lock": await draw()
    default: await serve(context, publishesUnderLock: variant.name == "opposite-orders")
    }
    CrashKit.record("server stopped", category: "server")
  }

  /// Requests and reports take turns, so that no two of them ever meet.
  private func serve(_ context: WorkloadContext, publishesUnderLock: Bool) async {
    let usage = UsageMeter()
    let store = SessionStore(usage: usage)
    var random = context.random(for: 0)
    for round in 1...20 {
      let count = Int.random(in: 1...5, using: &random)
      await onThread("requests") { for id in 0..<count { store.open(round * 10 + id) } }
      await onThread("reporter") {
        _ = publishesUnderLock ? usage.publishUnderLock(store) : usage.publish(store)
      }
    }
  }

  private func moveAround() async {
    let shards = (1...3).map { Shard("shard.\($0)") }
    for index in shards.indices {
      await onThread("move \(index)") { shards[index].move(7, to: shards[(index + 1) % shards.count]) }
    }
  }

  private func draw() async {
    let thumbnails = Thumbnails()
    await onThread("loader") { thumbnails.store("harbour") }
    await onThread("screen") { _ = thumbnails.draw("harbour") }
  }
}

/// The sessions of a server.
private final class SessionStore: @unchecked Sendable {
  private let lock = NSLock()
  private var sessions: [Int: Date] = [:]
  let usage: UsageMeter

  init(usage: UsageMeter) { self.usage = usage }

  var count: Int { lock.withLock { sessions.count } }

  static let openPlaces = [Place(below: 2), Place(below: 5)]
  func open(_ id: Int) {
    lock.lock()
    defer { lock.unlock() }
    sessions[id] = Date()
    usage.record(opened: 1)
  }
}

/// Counts what the server does, and publishes it from time to time.
private final class UsageMeter: @unchecked Sendable {
  private let lock = NSLock()
  private var opened = 0

  func record(opened number: Int) { lock.withLock { opened += number } }

  func publish(_ store: SessionStore) -> String {
    let count = store.count
    return lock.withLock { "\(opened) opened, \(count) open" }
  }

  static let publishPlaces = [Place(below: 2), Place(below: 4)]
  func publishUnderLock(_ store: SessionStore) -> String {
    lock.lock()
    defer { lock.unlock() }
    return "\(opened) opened, \(store.count) open"
  }
}

/// A part of a cache.
private final class Shard: @unchecked Sendable {
  private let lock: ThreadGuard.GuardedLock
  private var entries = [7: "seven"]

  init(_ name: String) { lock = ThreadGuard.GuardedLock(name) }

  static let movePlaces = [Place(below: 2), Place(below: 4)]
  func move(_ key: Int, to other: Shard) {
    lock.lock()
    defer { lock.unlock() }
    other.lock.withLock { other.entries[key] = entries.removeValue(forKey: key) }
  }
}

/// Pictures that are made on a queue of their own.
private final class Thumbnails: @unchecked Sendable {
  private let queue = DispatchQueue(label: "thumbnails")
  private let lock = NSLock()
  private var pictures: [String: Int] = [:]

  static let storePlaces = [Place(below: 2), Place(below: 3)]
  func store(_ name: String) {
    queue.sync {
      lock.withLock { pictures[name] = name.count }
    }
  }

  static let drawPlaces = [Place(below: 2), Place(below: 4)]
  func draw(_ name: String) -> Int {
    lock.lock()
    defer { lock.unlock() }
    return queue.sync { pictures[name] ?? 0 }
  }
}
