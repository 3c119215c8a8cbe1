import CCrashCapture
import Dispatch

/// Finds the thread that runs a queue.
///
/// libdispatch keeps that thread's id in the low 30 bits of a word of the queue (`dq_state`, swift-corelibs-libdispatch,
/// src/shims/lock.h), so that waiters can lend it their priority. Where that word lies is learnt, not assumed: a block on
/// the queue looks for its own thread's id. Where it is not found, the thread that last ran a heartbeat is the answer.
///
/// Its users take turns.
final class QueueOwner: @unchecked Sendable {
  private static let ownerMask: UInt64 = 0x3fff_ffff
  private static let searchedWords = 16
  private static let confirmations = 3

  private let queue: DispatchQueue
  private var confirmed = [Int](repeating: 0, count: searchedWords)
  private var lastThread: Int32 = 0

  init(_ queue: DispatchQueue) { self.queue = queue }

  /// Called on the queue.
  func learn() {
    lastThread = ck_thread_id()
    if place != nil { return }
    for index in 0..<Self.searchedWords {
      let isOwner = word(index).map { $0 & Self.ownerMask == UInt64(lastThread) } ?? false
      confirmed[index] = isOwner ? confirmed[index] + 1 : 0
    }
  }

  /// Which word it is.
  private var place: Int? { confirmed.firstIndex { $0 >= Self.confirmations } }

  /// The thread that runs the queue at this moment; `nil` where nobody does or nobody knows.
  var thread: Int32? {
    if let place {
      let owner = word(place).map { Int32($0 & Self.ownerMask) } ?? 0
      return OnlyThread.exists(owner) ? owner : nil
    }
    return OnlyThread.exists(lastThread) ? lastThread : nil
  }

  /// A word of libdispatch's object, which the Swift one holds behind its own header.
  private func word(_ index: Int) -> UInt64? {
    let object = Unmanaged.passUnretained(queue).toOpaque()
    var address: UInt64 = 0
    var word: UInt64 = 0
    guard ck_read_word(object + 16, &address), let inner = UnsafeRawPointer(bitPattern: UInt(address)),
      UInt(address) % 8 == 0, ck_read_word(inner + index * 8, &word)
    else { return nil }
    return word
  }
}
