import CCrashCapture
import Dispatch

/// Finds the thread that runs a queue, and whether any does.
///
/// libdispatch keeps that thread's id in the low 30 bits of a word of the queue (`dq_state`, swift-corelibs-libdispatch,
/// src/shims/lock.h), so that waiters can lend it their priority. Where that word lies is learnt, not assumed: a block on
/// the queue looks for its own thread's id. If it is not found, the thread that last ran a heartbeat is the answer.
///
/// Its users take turns.
final class QueueOwner: @unchecked Sendable {
  private static let ownerMask: UInt64 = 0x3fff_ffff
  /// The owner, and whether the queue is on its way to a thread.
  private static let busyMask: UInt64 = 0xffff_ffff
  private static let searchedWords = 16
  private static let confirmations = 3

  private let queue: DispatchQueue
  private var confirmed = [Int](repeating: 0, count: searchedWords)
  private var lastThread: Int32 = 0
  /// The word when the queue had run a heartbeat and had nothing else to do, and how often in a row it was that.
  private var resting: (word: UInt64, seen: Int) = (0, 0)
  private var restingPlace: UnsafeRawPointer?

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

  /// The thread that runs the queue at this moment; `nil` if no thread runs it, or if it is not known which.
  var thread: Int32? {
    if let place {
      let owner = word(place).map { Int32($0 & Self.ownerMask) } ?? 0
      return OnlyThread.exists(owner) ? owner : nil
    }
    return OnlyThread.exists(lastThread) ? lastThread : nil
  }

  /// Whether nothing runs on the queue, nothing waits for it, and the program has not suspended it: its word is then the
  /// same each time. A run loop has its queue all the time. Called after a heartbeat has run.
  var isIdle: Bool {
    if restingPlace == nil { restingPlace = place.flatMap { address(of: $0) } }
    guard let restingPlace else { return false }
    let word = ck_load_word(restingPlace)
    guard word & Self.busyMask == 0 else { return false }
    if word != resting.word { resting = (word, 0) }
    resting.seen = min(resting.seen + 1, Self.confirmations)
    return resting.seen == Self.confirmations
  }

  /// A word of libdispatch's object.
  private func word(_ index: Int) -> UInt64? {
    var word: UInt64 = 0
    guard let address = address(of: index), ck_read_word(address, &word) else { return nil }
    return word
  }

  /// The address of a word. The Swift object has a pointer to libdispatch's object after its own header.
  private func address(of index: Int) -> UnsafeRawPointer? {
    let object = Unmanaged.passUnretained(queue).toOpaque()
    var address: UInt64 = 0
    guard ck_read_word(object + 16, &address), UInt(address) % 8 == 0,
      let inner = UnsafeRawPointer(bitPattern: UInt(address))
    else { return nil }
    return inner + index * 8
  }
}
