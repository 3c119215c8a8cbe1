extension Watcher {
  /// Whether Watcher works on this system: Linux with glibc. Elsewhere it compiles and does nothing.
  public static let isSupported = true
}
