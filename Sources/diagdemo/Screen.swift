import Glibc

/// What is known of where text goes.
enum Screen {
  /// Colours are for terminals that know them and for people who have not asked for none (https://no-color.org).
  static func isColored(_ descriptor: Int32) -> Bool {
    let isUnwanted = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
    return !isUnwanted && isRedrawn(descriptor)
  }

  /// Whether a line can be drawn anew there.
  static func isRedrawn(_ descriptor: Int32) -> Bool {
    let isDumb = getenv("TERM").map { String(cString: $0) == "dumb" } ?? true
    return !isDumb && isatty(descriptor) == 1
  }
}
