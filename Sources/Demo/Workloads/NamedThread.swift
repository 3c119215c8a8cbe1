import CLinuxCalls
import Foundation

/// Runs work on a thread of its own, to its end.
func onThread(_ name: String, _ work: @escaping @Sendable () -> Void) async {
  await withCheckedContinuation { (ended: CheckedContinuation<Void, Never>) in
    Thread {
      // Foundation's own name does not reach the kernel.
      linux_name_thread(name)
      work()
      ended.resume()
    }.start()
  }
}
