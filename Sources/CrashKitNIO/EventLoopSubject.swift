import CrashKit
import NIOCore
import Synchronization

/// An event loop, which runs its heartbeats by a timer of its own.
///
/// So the watchdog gives it nothing after its shutdown: SwiftNIO takes that for a mistake of the program.
final class EventLoopSubject: HangSubject, @unchecked Sendable {
  let kind = HangSubjectKind.eventLoop
  let beatsItself = true
  private let loop: any EventLoop
  private let isShutDown = Atomic(false)
  // Used by turns, as the protocol says.
  private var only = OnlyThread()
  private var threadName: ThreadName?

  init(_ loop: any EventLoop) { self.loop = loop }

  var name: String { threadName?.text ?? "event loop" }
  var words: String { "event loop \(name)" }
  var thread: Int32? { only.thread }
  var hasEnded: Bool { isShutDown.load(ordering: .acquiring) }

  func put(every interval: UInt64, _ heartbeat: @escaping @Sendable () -> Bool) {
    let rest = TimeAmount.nanoseconds(Int64(clamping: interval))
    loop.execute { [weak self] in self?.beat(every: rest, heartbeat) }
  }

  func learn() {
    only.learn()
    if threadName == nil { threadName = .own }
  }

  private func beat(every rest: TimeAmount, _ heartbeat: @escaping @Sendable () -> Bool) {
    guard heartbeat() else { return }
    let next = loop.scheduleTask(in: rest) { [weak self] in self?.beat(every: rest, heartbeat) }
    next.futureResult.whenFailure { [weak self] _ in self?.isShutDown.store(true, ordering: .releasing) }
  }
}
