extension Watcher {
  /// What a program tells of its life. Linux knows no such notifications: a program that has a background says when it
  /// enters it.
  public enum LifecycleNotification: String, Sendable, Hashable, CaseIterable {
    /// The launch is over.
    case didFinishLaunching = "DidFinishLaunching"
    /// The program comes back from the background.
    case willEnterForeground = "WillEnterForeground"
    /// The program is in the foreground.
    case didBecomeActive = "DidBecomeActive"
    /// The program is about to leave the foreground.
    case willResignActive = "WillResignActive"
    /// The program is in the background: managers rest.
    case didEnterBackground = "DidEnterBackground"
    /// The program is about to end.
    case willTerminate = "WillTerminate"
  }
}
