import CrashKit
import NIOCore

#if !CrashKitNIO
  #error("CrashKitNIO's trait is off: write .package(…, traits: [\"CrashKitNIO\"]), see Docs/packages.md")
#endif

/// Watches SwiftNIO's event loops with CrashKit's hang detector.
public enum CrashKitNIO {
  /// Watches each event loop of a group. All hang detectors share one thread.
  ///
  /// A loop that does not wait for events gets a heartbeat at a regular interval: half the threshold, but at least 20
  /// ms and at most a second. If the loop does not run the heartbeat within the threshold, the detector writes a report
  /// of the kind `hang`, as for a queue. The report names the loop by its thread, and has samples of that thread. After
  /// a loop is shut down, the detector no longer watches it, and runs nothing on it. CrashKit adds a channel with one
  /// descriptor to each loop. You may call `watch` from any thread, before the group is shut down.
  ///
  /// - Parameters:
  ///   - group: the group, or a single loop. Each loop must keep its thread for its whole life, as with
  ///     `MultiThreadedEventLoopGroup`.
  ///   - threshold: how long an event loop may be busy with one piece of work; at least 20 ms.
  /// - Returns: the detector; `nil` if CrashKit is not installed or the system refuses memory or a thread. The detector
  ///   runs until `stop()` or until all loops are shut down, even if the program keeps no reference to it.
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
  ///   - threshold: how long an event loop may be busy with one piece of work; at least 20 ms.
  ///   - eventLoops: the group.
  /// - Returns: the detector, as from `CrashKitNIO.watch`.
  @discardableResult
  public static func start(
    threshold: Duration = .milliseconds(250), eventLoops: any EventLoopGroup
  ) -> CrashKit.HangDetector? {
    CrashKitNIO.watch(eventLoops, threshold: threshold)
  }
}
