import CrashKit
import NIOCore
import Synchronization

/// An event loop. It runs heartbeats like other work, or from its own timer if CrashKit cannot add a channel to it.
final class EventLoopSubject: HangSubject, @unchecked Sendable {
  let kind = HangSubjectKind.eventLoop
  private let loop: any EventLoop
  private let membership: Membership?
  private let isMember = Atomic(false)
  private let isStarted = Atomic(false)
  private let isShutDown = Atomic(false)
  // Used by turns, as the protocol says.
  // An event loop keeps its thread, so the first heartbeat shows it.
  private var only = OnlyThread(confirmations: 1)
  private var threadName: ThreadName?
  private var poll: ThreadPoll?

  init(_ loop: any EventLoop) {
    self.loop = loop
    membership = Membership(of: loop)
  }

  var name: String { threadName?.text ?? "event loop" }
  var words: String { "event loop \(name)" }
  var thread: Int32? { only.thread }
  var hasEnded: Bool { isShutDown.load(ordering: .acquiring) }
  var beatsItself: Bool { !isMember.load(ordering: .acquiring) }

  /// Whether its thread waits for events.
  var isIdle: Bool {
    guard let membership, let thread = only.ran else { return false }
    if poll == nil { poll = ThreadPoll(of: thread, with: membership.descriptor) }
    return poll?.isWaiting ?? false
  }

  func put(every interval: UInt64, _ heartbeat: @escaping @Sendable () -> Bool) {
    if isStarted.exchange(true, ordering: .acquiringAndReleasing) {
      membership?.execute { _ = heartbeat() }
    } else {
      let rest = TimeAmount.nanoseconds(Int64(clamping: interval))
      loop.execute { [self] in start(every: rest, heartbeat) }
    }
  }

  func learn() {
    only.learn()
    if threadName == nil { threadName = .own }
  }

  func end() { membership?.end() }

  private func start(every rest: TimeAmount, _ heartbeat: @escaping @Sendable () -> Bool) {
    guard let membership else { return beat(every: rest, heartbeat) }
    membership.begin { [weak self] in self?.isShutDown.store(true, ordering: .releasing) }.whenComplete { result in
      guard case .success = result else { return self.beat(every: rest, heartbeat) }
      self.isMember.store(true, ordering: .releasing)
      _ = heartbeat()
    }
  }

  /// Does not give the event loop anything after its shutdown either: its timers fail then.
  private func beat(every rest: TimeAmount, _ heartbeat: @escaping @Sendable () -> Bool) {
    guard heartbeat() else { return }
    let next = loop.scheduleTask(in: rest) { [weak self] in self?.beat(every: rest, heartbeat) }
    next.futureResult.whenFailure { [weak self] _ in self?.isShutDown.store(true, ordering: .releasing) }
  }
}
