extension Watcher {
  /// A program's notification about its lifecycle. Linux has no such notifications: a program with a background state
  /// reports it itself.
  public enum LifecycleNotification: String, Sendable, Hashable, CaseIterable {
    /// The launch is over.
    case didFinishLaunching = "DidFinishLaunching"
    /// The program comes back from the background.
    case willEnterForeground = "WillEnterForeground"
    /// The program is in the foreground.
    case didBecomeActive = "DidBecomeActive"
    /// The program is about to leave the foreground.
    case willResignActive = "WillResignActive"
    /// The program is in the background: managers pause.
    case didEnterBackground = "DidEnterBackground"
    /// The program is about to end.
    case willTerminate = "WillTerminate"
  }
}
