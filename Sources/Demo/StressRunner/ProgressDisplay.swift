import Foundation
import Synchronization

/// Shows the progress of a stress run on stderr: on a terminal one line that changes, and elsewhere one line for each
/// variant.
public final class ProgressDisplay: Sendable {
  private static let barWidth = 24

  private struct State {
    var done = 0
    var failed = 0
    var running: [String] = []
  }

  private let state = Mutex(State())
  private let total: Int
  private let isRedrawn: Bool
  private let descriptor: Int32

  /// - Parameter isRedrawn: Whether the descriptor is a terminal that can overwrite a line.
  public init(total: Int, isRedrawn: Bool, descriptor: Int32 = STDERR_FILENO) {
    self.total = total
    self.isRedrawn = isRedrawn
    self.descriptor = descriptor
  }

  public func began(_ stressCase: StressCase) {
    state.withLock { state in
      state.running.append(stressCase.name)
      draw(state)
    }
  }

  public func ended(_ outcome: StressRun.Outcome) {
    state.withLock { state in
      let name = outcome.record.stressCase.name
      state.running.removeAll { $0 == name }
      state.done += 1
      if outcome.verdict == .failed { state.failed += 1 }
      if isRedrawn { return draw(state) }
      let word = [.passed: "ok", .failed: "FAILED"][outcome.verdict] ?? "cut short"
      let seconds = String(format: "%.1f", outcome.record.seconds)
      say("[\(state.done)/\(total)] \(word) \(name) (\(seconds) s)\n")
    }
  }

  /// Clears the progress line, so that the next output can use this line of the terminal.
  public func clear() { if isRedrawn { say("\r\u{1B}[K") } }

  private func draw(_ state: State) {
    guard isRedrawn else { return }
    let filled = total == 0 ? 0 : state.done * Self.barWidth / total
    let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: Self.barWidth - filled)
    let failed = state.failed > 0 ? ", \(state.failed) failed" : ""
    let text = "[\(bar)] \(state.done)/\(total)\(failed)  \(state.running.joined(separator: ", "))"
    say("\r\u{1B}[K" + text.prefix(max(10, columns - 1)))
  }

  private var columns: Int {
    var size = winsize()
    return ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
  }

  private func say(_ text: String) { _ = writeWhole(text, to: descriptor) }
}
