import CrashReportModel
import CrashReportReading
import Glibc
import Symbolication
import Synchronization

/// Shows on the terminal's last line how far a download is; nothing where standard error is no terminal.
enum DownloadDisplay {
  private struct State {
    var start: ContinuousClock.Instant?
    var lastShown: ContinuousClock.Instant?
    var isShown = false
  }

  private static let state = Mutex(State())
  /// What takes less time is not worth a word.
  private static let patience = Duration.seconds(1)
  private static let interval = Duration.milliseconds(200)
  private static let eraseLine = "\r\u{1B}[K"

  /// What `Symbolicator` is to call; nil if no terminal shows it.
  static var handler: (@Sendable (DownloadProgress) -> Void)? {
    isatty(STDERR_FILENO) == 1 ? { @Sendable in show($0) } : nil
  }

  private static func show(_ progress: DownloadProgress) {
    let now = ContinuousClock.now
    state.withLock { state in
      guard !progress.isOver else {
        if state.isShown { write(eraseLine) }
        state = State()
        return
      }
      let start = state.start ?? now
      state.start = start
      guard now - start >= patience, state.lastShown.map({ now - $0 >= interval }) ?? true else { return }
      state.lastShown = now
      state.isShown = true
      write("\(eraseLine)crashsym: \(text(progress))")
    }
  }

  private static func text(_ progress: DownloadProgress) -> String {
    let what = "debug information of \(progress.image.harmlessName)"
    guard let received = progress.received else { return "asking for \(what)" }
    let size = progress.total.map { "\(received >> 10) of \($0 >> 10) KiB" } ?? "\(received >> 10) KiB"
    return "downloading \(what): \(size)"
  }

  /// Frees the line for a message.
  static func clear() {
    state.withLock { state in
      if state.isShown { write(eraseLine) }
      state.isShown = false
    }
  }

  private static func write(_ text: String) { try? Output.write(text, to: STDERR_FILENO) }
}
