import Foundation
import Testing

@testable import Watcher

@Suite struct BroadcastTests {
  /// Cancelling a listener takes a lock of the runtime's that telling the listener needs as well.
  @Test(.timeLimit(.minutes(30))) func listenersMayBeCancelledDuringABroadcast() async {
    let source = Watcher.Broadcast<Int>(repeatsNewest: true)
    let telling = Task.detached {
      var number = 0
      while !Task.isCancelled {
        source.send(number)
        number += 1
        await Task.yield()
      }
    }
    for _ in 1...2000 {
      await withTaskGroup(of: Void.self) { group in
        for _ in 1...4 { group.addTask { for await _ in source.values {} } }
        await Task.yield()
        group.cancelAll()
      }
    }
    telling.cancel()
    await telling.value
    #expect(source.listenerCount == 0)
  }
}
