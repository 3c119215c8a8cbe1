extension Watcher {
  /// A notification about the program's lifecycle. Linux sends no such notifications, so the program itself passes
  /// them to ``Watcher/notify(_:)``.
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
