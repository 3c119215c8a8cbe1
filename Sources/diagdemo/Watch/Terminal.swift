import CTerminal
import Glibc
import WatchView

/// The terminal while the view fills it. Its mode is kept, and set again however the program ends.
final class Terminal {
  private let input: Int32
  private let output: Int32
  private let mode: termios
  private var shown: [String] = []
  private(set) var isTaken = false

  // The alternate screen and the cursor, as xterm's control sequences have them.
  private static let enter = "\u{1b}[?1049h\u{1b}[?25l"
  private static let leave = "\u{1b}[0m\u{1b}[?25h\u{1b}[?1049l"

  /// `nil` if there is no terminal that can be drawn on.
  init?(input: Int32 = STDIN_FILENO, output: Int32 = STDOUT_FILENO, environment: [String: String]) {
    let name = environment["TERM", default: ""]
    guard isatty(input) == 1, isatty(output) == 1, !name.isEmpty, name != "dumb" else { return nil }
    var mode = termios()
    guard tcgetattr(input, &mode) == 0 else { return nil }
    self.input = input
    self.output = output
    self.mode = mode
    let bytes = Self.leave
    guard terminal_guard_install(input, &mode, bytes, UInt(bytes.utf8.count)) == 0 else { return nil }
  }

  deinit { giveBack() }

  /// Keys come one by one, unseen; those that make signals still do.
  func take() {
    var raw = mode
    raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
    terminal_guard_set_armed(1)
    tcsetattr(input, TCSADRAIN, &raw)
    write(Self.enter)
    isTaken = true
    shown = []
  }

  func giveBack() {
    guard isTaken else { return }
    isTaken = false
    write(Self.leave)
    var mode = mode
    tcsetattr(input, TCSADRAIN, &mode)
    terminal_guard_set_armed(0)
  }

  var size: ViewSize {
    var window = winsize()
    guard ioctl(output, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else {
      return ViewSize(columns: 80, lines: 24)
    }
    return ViewSize(columns: Int(window.ws_col), lines: Int(window.ws_row))
  }

  /// What is on the screen is no longer known: all of it is drawn next time.
  func forget() { shown = [] }

  /// Shows lines; those that are there already are left alone.
  func show(_ lines: [String]) {
    var text = ""
    if shown.count != lines.count { text += "\u{1b}[2J" }
    for (number, line) in lines.enumerated() where shown.count != lines.count || shown[number] != line {
      text += "\u{1b}[\(number + 1);1H\(line)\u{1b}[K"
    }
    shown = lines
    write(text)
  }

  func ring() { write("\u{7}") }

  private func write(_ text: String) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(output, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
    }
  }
}
