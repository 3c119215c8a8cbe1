import CrashKit
import Foundation
import ThreadGuard

/// A cache of pictures that several threads fill and read.
public struct RaceWorkload: Workload {
  public static let name = "race"
  public static let summary = "A cache of pictures that several threads fill and read"

  public static let variants = [
    Variant("correct", "Every access is under the lock"),
    Variant(
      "unlocked-read", "Writers take the lock, but readers do not",
      planted: [Plant("dataRace", at: [PictureCache.insertion, PictureCache.unlockedRead])]),
    Variant(
      "two-locks", "Readers take one lock and writers another for the same value",
      planted: [Plant("dataRace", at: [HitCounter.addition, HitCounter.reading])]),
    Variant(
      "lock-not-held", "A value that declares which lock protects it is read without that lock",
      planted: [Plant("dataRace", at: [Quota.unlockedRead])]),
  ]

  public init() {}

  public func run(_ variant: Variant, in context: WorkloadContext) async throws {
    let cache = PictureCache()
    let hits = HitCounter()
    let quota = Quota()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<max(2, context.threads) {
        group.addTask {
          await onThread(number % 2 == 0 ? "loader \(number)" : "screen \(number)") {
            var random = context.random(for: number)
            while !context.isOver {
              let key = Int.random(in: 0..<100, using: &random)
              switch (variant.name, number % 2) {
              case ("unlocked-read", 0), ("correct", 0): cache.insert(key)
              case ("unlocked-read", _): _ = cache.hasPicturesUnlocked()
              case ("two-locks", 0): hits.add()
              case ("two-locks", _): _ = hits.rate()
              case ("lock-not-held", 0): quota.use(1)
              case ("lock-not-held", _): _ = quota.isExceededUnlocked()
              default:
                _ = cache.hasPictures()
                quota.use(1)
              }
            }
          }
        }
      }
    }
  }
}

/// How many pictures of each size there are.
private final class PictureCache: @unchecked Sendable {
  private let lock = NSLock()
  @ThreadGuard.GuardedValue private var count = 0

  static let insertion = Place(below: 2)
  func insert(_ key: Int) {
    lock.withLock { count = min(count + 1, 1000 + key) }
  }

  func hasPictures() -> Bool { lock.withLock { count > 0 } }

  static let unlockedRead = Place(below: 1)
  func hasPicturesUnlocked() -> Bool { count > 0 }
}

/// Counts how often a picture was there already.
private final class HitCounter: @unchecked Sendable {
  private let writing = NSLock()
  private let reading = NSLock()
  @ThreadGuard.GuardedValue private var hits = 0

  static let addition = Place(below: 2)
  func add() {
    writing.withLock { hits += 1 }
  }

  static let reading = Place(below: 2)
  func rate() -> Int {
    reading.withLock { hits }
  }
}

/// How much may still be loaded.
private final class Quota: @unchecked Sendable {
  private let lock = ThreadGuard.GuardedLock("pictures.quota")
  @ThreadGuard.GuardedBy(\Quota.lock) private var used = 0

  func use(_ amount: Int) { lock.withLock { used += amount } }

  static let unlockedRead = Place(below: 1)
  func isExceededUnlocked() -> Bool { used > 1_000_000 }
}
