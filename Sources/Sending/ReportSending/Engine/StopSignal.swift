import CLinuxCalls
import Glibc
import Synchronization

/// Stops a run. Any thread may call `stop()`. If the run is waiting for reports, it stops waiting.
public final class StopSignal: Sendable {
  /// Readable from the stop on.
  let descriptor: Int32
  private let isSet = Atomic(false)

  public init() { descriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK)) }

  deinit { if descriptor >= 0 { close(descriptor) } }

  public var isStopped: Bool { isSet.load(ordering: .acquiring) }

  public func stop() {
    isSet.store(true, ordering: .releasing)
    var one: UInt64 = 1
    _ = write(descriptor, &one, MemoryLayout.size(ofValue: one))
  }
}
