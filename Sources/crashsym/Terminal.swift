import Glibc

/// The properties of a terminal.
enum Terminal {
  /// Its number of columns; `nil` if it is not a terminal.
  static func width(of descriptor: Int32) -> Int? {
    var size = winsize()
    guard isatty(descriptor) == 1, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }
}
