import CrashKit
import NIOCore

#if !CrashKitNIO
  #error("CrashKitNIO's trait is off: write .package(…, traits: [\"CrashKitNIO\"]), see Docs/packages.md")
#endif

/// SwiftNIO's event loops under CrashKit's hang detector.
public enum CrashKitNIO {
  /// Watches each event loop of a group, by the thread that all hang detectors share.
  ///
  /// A loop that does not wait for events gets a heartbeat every half threshold (at least 20 ms, at most a second). If it
  /// does not run the heartbeat for longer than the threshold, a report of the kind `hang` is written as for a queue: it
  /// names the loop by its thread, and samples that thread. A loop that is shut down is no longer watched: nothing is
  /// reported, and nothing runs on it. Each loop has a channel of CrashKit's, with one descriptor. May be called from
  /// any thread, as long as the group is not shut down.
  ///
  /// - Parameters:
  ///   - group: the group; of a loop alone, the loop. Its loops must be those of threads that serve them for good, as
  ///     those of `MultiThreadedEventLoopGroup` do.
  ///   - threshold: how long an event loop may be busy with one thing; at least 20 ms.
  /// - Returns: the detector; `nil` if CrashKit is not installed or the system refuses memory or a thread. It goes on
  ///   until `stop()` or until all loops are shut down, also if the caller does not keep it.
  @discardableResult
  public static func watch(
    _ group: any EventLoopGroup, threshold: Duration = .milliseconds(250)
  ) -> CrashKit.HangDetector? {
    CrashKit.HangDetector.start(watching: group.makeIterator().map { EventLoopSubject($0) }, threshold: threshold)
  }
}

extension CrashKit.HangDetector {
  /// Watches each event loop of a group: see `CrashKitNIO.watch`.
  ///
  /// - Parameters:
  ///   - threshold: how long an event loop may be busy with one thing; at least 20 ms.
  ///   - eventLoops: the group.
  /// - Returns: the detector, as from `CrashKitNIO.watch`.
  @discardableResult
  public static func start(
    threshold: Duration = .milliseconds(250), eventLoops: any EventLoopGroup
  ) -> CrashKit.HangDetector? {
    CrashKitNIO.watch(eventLoops, threshold: threshold)
  }
}
