// A deinit that syncs onto its own queue, which is fine until the last reference is let go on that queue.
//
// Dispatch ends the program by SIGILL, without a word. `crashsym run --thread-guard -- deinit-sync` tells why.

import Dispatch
import Foundation

/// Thumbnails by name, guarded by a queue.
final class ThumbnailCache: @unchecked Sendable {
  private let queue = DispatchQueue(label: "com.example.thumbnails")
  private var thumbnails: [String: Data] = [:]

  func store(_ data: Data, as name: String, then done: @escaping @Sendable () -> Void) {
    queue.async {
      self.thumbnails[name] = data
      done()
      // Here the closure lets the cache go, on the cache's own queue.
    }
  }

  deinit {
    // The mistake.
    queue.sync { thumbnails.removeAll() }
  }
}

/// Makes a cache for one picture and forgets it while it is still at work.
func makeThumbnail(of name: String) {
  let stored = DispatchSemaphore(value: 0)
  let letGo = DispatchSemaphore(value: 0)
  do {
    let cache = ThumbnailCache()
    cache.store(Data(name.utf8), as: name) {
      stored.signal()
      letGo.wait()
    }
    stored.wait()
  }
  letGo.signal()
}

@main
struct Main {
  static func main() {
    makeThumbnail(of: "harbour.jpg")
    dispatchMain()
  }
}
