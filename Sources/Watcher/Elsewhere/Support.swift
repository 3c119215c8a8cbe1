import Dispatch

// Watcher on systems other than Linux with glibc. It has the same face, and no reading has a value, so that a program
// which uses it compiles for these systems too. Package.swift chooses. Types that hold values only are shared with
// Sources/Watcher; Scripts/checks/elsewhere.py compares the two faces.

extension Watcher {
  /// Whether Watcher works on this system: Linux with glibc. On other systems it compiles and does nothing.
  public static let isSupported = false

  /// Does nothing.
  public static func notify(_ notification: LifecycleNotification) {}

  /// How long the launch took. It is not known on this system.
  public static let launchTime = LaunchTime()

  /// A stream without values. It ends when the listening task is cancelled.
  public struct Values<Element: Sendable>: AsyncSequence, Sendable {
    /// Begins to listen. No value comes.
    public func makeAsyncIterator() -> AsyncStream<Element>.AsyncIterator {
      AsyncStream<Element> { _ in }.makeAsyncIterator()
    }
  }

  /// The sample of every provider on this system.
  static var nothing: Sample { Sample(.unavailable(.noDevice("Linux with glibc")), at: clockNanoseconds()) }
}

/// Nanoseconds of a clock that never goes back.
func clockNanoseconds() -> UInt64 { DispatchTime.now().uptimeNanoseconds }
