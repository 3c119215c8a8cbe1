/// What the terminal can show.
public struct ViewStyle: Sendable, Equatable {
  /// Whether the terminal shows colours. The view uses the terminal's own palette and background.
  public var hasColour: Bool
  /// Whether the terminal shows bold and reversed characters.
  public var hasAttributes: Bool
  /// Whether the terminal shows characters beyond ASCII.
  public var hasUnicode: Bool
  /// The offset from UTC in seconds (positive to the east), for times of day.
  public var timeOffset: Int

  public init(hasColour: Bool = true, hasAttributes: Bool = true, hasUnicode: Bool = true, timeOffset: Int = 0) {
    self.hasColour = hasColour
    self.hasAttributes = hasAttributes
    self.hasUnicode = hasUnicode
    self.timeOffset = timeOffset
  }

  /// Reads the environment: `NO_COLOR` (no-color.org), and the locale's character set.
  public init(environment: [String: String], timeOffset: Int = 0) {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
    let name = locale.lowercased()
    self.init(
      hasColour: environment["NO_COLOR", default: ""].isEmpty,
      hasUnicode: name.hasSuffix("utf-8") || name.hasSuffix("utf8"), timeOffset: timeOffset)
  }
}

/// The size of a terminal in characters and lines.
public struct ViewSize: Sendable, Equatable {
  public var columns, lines: Int

  public init(columns: Int, lines: Int) {
    self.columns = columns
    self.lines = lines
  }
}
