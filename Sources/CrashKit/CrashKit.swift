import CCrashCapture

/// Captures crashes of this process.
public enum CrashKit {
  static var version: Int32 { ck_version() }
}
