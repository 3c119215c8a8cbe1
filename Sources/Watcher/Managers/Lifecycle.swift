import CrashKit
import Synchronization

extension Watcher {
  /// Handles a notification, and records it as a breadcrumb of category `lifecycle`. When the program enters or leaves
  /// the background, the pace of all managers changes. The end of the launch sets ``launchTime``. You may call it from
  /// any thread.
  public static func notify(_ notification: LifecycleNotification) {
    CrashKit.record(notification.rawValue, category: "lifecycle")
    switch notification {
    case .didFinishLaunching: launchTime.finish()
    case .didEnterBackground: Followers.shared.enter(.background)
    case .willEnterForeground, .didBecomeActive: Followers.shared.enter(.foreground)
    case .willResignActive, .willTerminate: break
    }
  }

  /// How long the launch took. There is no value until you report the end of the launch with ``notify(_:)``.
  public static let launchTime = LaunchTime()

  /// The managers that follow the program into the background.
  final class Followers: Sendable {
    static let shared = Followers()

    private struct Follower { weak var manager: MetricManager? }
    private struct State {
      var followers: [Follower] = []
      var pace = MetricManager.Pace.foreground
    }

    /// Held while managers are notified, so that the last notification is the newest state.
    private let state = Mutex(State())

    func add(_ manager: MetricManager) {
      state.withLock { state in
        state.followers.removeAll { $0.manager == nil }
        state.followers.append(Follower(manager: manager))
        if state.pace == .background { manager.enter(state.pace) }
      }
    }

    func enter(_ pace: MetricManager.Pace) {
      let told = state.withLock { state in
        state.pace = pace
        let managers = state.followers.compactMap(\.manager)
        for manager in managers { manager.enter(pace) }
        return managers
      }
      // Let go here: what ends with a manager may call anything.
      _ = told
    }
  }
}
