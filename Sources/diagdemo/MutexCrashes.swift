import Foundation
import Synchronization

/// Waits for a `Mutex` that would never end: the Swift runtime stops the program there.
enum MutexCrashes {
  private static let first = Mutex(0)
  private static let second = Mutex(0)

  @inline(never)
  static func lockTwice() {
    first.withLock { _ in
      first.withLock { $0 += 1 }
    }
  }

  /// Both threads hold one Mutex before either asks for the other's; the later of the two is stopped.
  static func lockInACircle() {
    let firstIsHeld = DispatchSemaphore(value: 0)
    let secondIsHeld = DispatchSemaphore(value: 0)
    Thread { holdOne(second, andLock: first, signal: secondIsHeld, await: firstIsHeld) }.start()
    holdOne(first, andLock: second, signal: firstIsHeld, await: secondIsHeld)
  }

  @inline(never)
  private static func holdOne(
    _ own: borrowing Mutex<Int>, andLock other: borrowing Mutex<Int>, signal: DispatchSemaphore,
    await: DispatchSemaphore
  ) {
    own.withLock { _ in
      signal.signal()
      `await`.wait()
      other.withLock { $0 += 1 }
    }
  }
}
