// Two threads that wait for each other: one holds a lock of Foundation and asks for a Mutex, the other the other way
// round; or both hold a Mutex, and the kernel refuses the second wait. When both wait, the main thread writes to a null
// pointer.
//
// mixed_deadlock lock | mutexes
import Foundation
import Synchronization

let lock = NSLock()
let first = Mutex(0)
let second = Mutex(0)
let bothHold = DispatchSemaphore(value: 0)
let goOn = DispatchSemaphore(value: 0)

func hold() {
  bothHold.signal()
  goOn.wait()
}

@inline(never) func takeMutex() { first.withLock { $0 += 1 } }
@inline(never) func takeLock() { lock.withLock {} }
@inline(never) func takeSecond() { second.withLock { $0 += 1 } }

/// Until two threads beside this one sleep in futex(2).
func waitUntilBothWait() {
  var waiting = 0
  while waiting < 2 {
    usleep(1000)
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    waiting = threads.count { id in
      let call = try? String(contentsOfFile: "/proc/self/task/\(id)/syscall", encoding: .utf8)
      return call?.hasPrefix("202 ") == true || call?.hasPrefix("98 ") == true
    }
  }
}

@main struct Main {
  static func main() {
    let isMixed = CommandLine.arguments.last == "lock"
    Thread {
      if isMixed {
        lock.withLock {
          hold()
          takeMutex()
        }
      } else {
        second.withLock { _ in
          hold()
          takeMutex()
        }
      }
    }.start()
    Thread {
      first.withLock { _ in
        hold()
        if isMixed { takeLock() } else { takeSecond() }
      }
    }.start()
    for _ in 0..<2 { bothHold.wait() }
    for _ in 0..<2 { goOn.signal() }
    waitUntilBothWait()
    UnsafeMutablePointer<Int>(bitPattern: 8)!.pointee = 1
  }
}
