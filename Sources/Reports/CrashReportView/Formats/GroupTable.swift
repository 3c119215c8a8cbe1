import CrashReportModel
import ReportGrouping

/// Shows groups of reports to a person.
public struct GroupTable: Sendable {
  private let usesColor: Bool
  private let width: Int?

  /// Makes a view.
  ///
  /// - Parameters:
  ///   - usesColor: Whether to use a terminal's colours.
  ///   - width: The width at which lines of details are cut. If `nil`, no line is cut. The cause of death and the path
  ///     of the representative report are never cut.
  public init(usesColor: Bool = false, width: Int? = nil) {
    self.usesColor = usesColor
    self.width = width.map { max($0, 40) }
  }

  private static let columns = (count: 7, time: 16, fingerprint: 18)
  private static let indent = String(repeating: " ", count: 9)
  /// At most this many versions and hosts are named.
  private static let namedOnes = 4

  /// The table, with a line end after each line.
  public func text(of groups: [ReportGroup]) -> String {
    var printer = Printer(usesColor: usesColor)
    let columns = Self.columns
    line(
      [
        Segment(
          "COUNT".leftPadded(to: columns.count) + "  " + "LAST SEEN (UTC)".padded(to: columns.time) + "  "
            + "FINGERPRINT".padded(to: columns.fingerprint) + "  WHAT", .dim)
      ], to: &printer)
    for group in groups {
      printer.line(
        [
          Segment(String(group.count).leftPadded(to: columns.count) + "  ", .bold),
          Segment(Self.minute(group.lastSeen).padded(to: columns.time) + "  "),
          Segment((group.fingerprint.value ?? "").padded(to: columns.fingerprint) + "  ", .location),
          Segment(group.fingerprint.title, .bold),
        ])
      for detail in details(of: group) { line([Segment(Self.indent + detail, .dim)], to: &printer) }
      let representative = group.representative
      printer.line([Segment("\(Self.indent)see \(representative.source): \(representative.reason)", .dim)])
    }
    return printer.text
  }

  private func details(of group: ReportGroup) -> [String] {
    let callers = (group.fingerprint.functions ?? []).dropFirst().joined(separator: ", ")
    let tests = names(group.tests, "test", "tests").map { "in \($0)" }
    let facts = [
      group.firstSeen.map { "first seen \(Self.minute($0))" }, names(group.programs, nil, nil),
      names(group.versions, "version", "versions"), names(group.hosts, "host", "hosts"),
    ]
    return [
      callers.isEmpty ? nil : "called by \(callers)", tests,
      facts.compactMap { $0 }.joined(separator: "; "),
    ].compactMap { $0 }.filter { !$0.isEmpty }
  }

  /// `versions 1.1 (7), 1.0 (2)`
  private func names(_ tally: Tally, _ singular: String?, _ plural: String?) -> String? {
    let names = tally.names
    guard let first = names.first else { return nil }
    if names.count == 1 { return [singular, first.name].compactMap { $0 }.joined(separator: " ") }
    let shown = names.prefix(Self.namedOnes).map { "\($0.name) (\($0.count))" }.joined(separator: ", ")
    let more = names.count > Self.namedOnes ? " and \(names.count - Self.namedOnes) more" : ""
    return [plural, shown + more].compactMap { $0 }.joined(separator: " ")
  }

  /// `2026-11-21 08:24`, in UTC.
  private static func minute(_ time: Timestamp?) -> String {
    guard let time else { return "?" }
    let text = Timestamp(microsecondsSince1970: time.microseconds).text
    return text.prefix(16).split(separator: "T").joined(separator: " ")
  }

  /// A line, cut where the terminal ends.
  private func line(_ segments: [Segment], to printer: inout Printer) {
    guard var room = width else { return printer.line(segments) }
    var shown: [Segment] = []
    for segment in segments {
      let text = segment.text.harmless
      if text.count <= room {
        shown.append(Segment(text, segment.style))
        room -= text.count
      } else {
        shown.append(Segment(text.prefix(max(room - 1, 0)) + "…", segment.style))
        break
      }
    }
    printer.line(shown)
  }
}
