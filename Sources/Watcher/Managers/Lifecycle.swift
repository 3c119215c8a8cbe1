import CrashKit
import Synchronization

extension Watcher {
  /// Handles a notification. Each leaves a breadcrumb of category `lifecycle`. Entering and leaving the background
  /// changes the pace of all managers, and the end of the launch is recorded. You may call it from any thread.
  public static func notify(_ notification: LifecycleNotification) {
    CrashKit.record(notification.rawValue, category: "lifecycle")
    switch notification {
    case .didFinishLaunching: launchTime.finish()
    case .didEnterBackground: Followers.shared.enter(.background)
    case .willEnterForeground, .didBecomeActive: Followers.shared.enter(.foreground)
    case .willResignActive, .willTerminate: break
    }
  }

  /// How long the launch took. It has a value after ``notify(_:)`` reported the end of the launch.
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
