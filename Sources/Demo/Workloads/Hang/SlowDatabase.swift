import CrashKit
import Foundation

/// A database whose driver has no asynchronous calls.
struct SlowDatabase: Sendable {
  private static let slow = 1.5

  private let threads = DispatchQueue(label: "database", attributes: .concurrent)

  static let wait = Place(below: 3)
  func read(_ row: Int) {
    CrashKit.record("reads a row", category: "database", attributes: ["row": "\(row)"])
    Thread.sleep(forTimeInterval: Self.slow)
    CrashKit.record("has a row", category: "database", attributes: ["row": "\(row)"])
  }

  /// Reads on a thread of its own; the task is suspended meanwhile.
  func readElsewhere(_ row: Int) async {
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      threads.async {
        read(row)
        done.resume()
      }
    }
  }
}
