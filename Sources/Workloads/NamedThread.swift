import Foundation

/// Runs work on a thread of its own, to its end.
func onThread(_ name: String, _ work: @escaping @Sendable () -> Void) async {
  await withCheckedContinuation { ended in
    let thread = Thread {
      work()
      ended.resume()
    }
    thread.name = name
    thread.start()
  }
}
