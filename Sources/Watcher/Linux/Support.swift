extension Watcher {
  /// Whether Watcher works on this system: Linux with glibc. On other systems it compiles and does nothing.
  public static let isSupported = true
}
