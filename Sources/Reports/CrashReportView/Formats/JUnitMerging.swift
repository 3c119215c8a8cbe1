import CrashReportModel

/// Puts a suite into the JUnit file that a test run left.
public enum JUnitMerging {
  private static let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"

  /// A new file with nothing else in it.
  static func file(holding suite: String) -> String { "\(head)<testsuites>\n\(suite)</testsuites>\n" }

  /// The file with a suite of these reports after its own; a new one if the file is empty.
  ///
  /// - Returns: The new file, or `nil` if the old one is no JUnit file that has its end.
  public static func merged(
    _ reports: [VerifiedReport], into old: String, options: TextReport.Options
  ) -> String? {
    let suite = JUnitFile.suite(of: reports, options: options)
    var rest = old[...]
    while rest.last?.isWhitespace == true { rest.removeLast() }
    guard let first = rest.firstIndex(where: { !$0.isWhitespace }) else { return file(holding: suite) }
    guard rest[first] == "<", let root = RootTag(in: rest) else { return nil }
    let before = rest[..<root.range.lowerBound]
    let tag = root.adding(reports.count { Finding($0.report, options.sources).severity != .note }, of: reports.count)
    switch root.name {
    // If a test crashes, Swift Testing leaves the root's start tag and nothing after it.
    case "testsuites" where rest.endIndex == root.range.upperBound:
      return "\(before)\(tag)\n\(suite)</testsuites>\n"
    case "testsuites":
      let end = "</testsuites>"
      guard !root.isEmpty, rest.hasSuffix(end) else { return nil }
      return "\(before)\(tag)\(rest[root.range.upperBound...].dropLast(end.count))\(suite)\(end)\n"
    case "testsuite":
      guard root.isEmpty ? rest.endIndex == root.range.upperBound : rest.hasSuffix("</testsuite>") else { return nil }
      return "\(before)<testsuites>\n\(rest[root.range.lowerBound...])\n\(suite)</testsuites>\n"
    default: return nil
    }
  }

  /// The start tag of a file's root element.
  private struct RootTag {
    let name: Substring
    /// Where it stands, brackets included.
    let range: Range<String.Index>
    /// Whether the element has no content.
    let isEmpty: Bool
    private let attributes: Substring

    init?(in text: Substring) {
      guard let match = text.prefixMatch(of: /(?:\s|<\?.*?\?>|<!--(?s:.*?)-->)*/),
        let tag = text[match.range.upperBound...].prefixMatch(of: /<(\w+)((?:[^<>"']|"[^"]*"|'[^']*')*?)(\/?)>/)
      else { return nil }
      (name, attributes, isEmpty, range) = (tag.1, tag.2, !tag.3.isEmpty, tag.range)
    }

    /// The tag of an element with content. If it counts its tests and errors, those of a further suite are added.
    func adding(_ errors: Int, of tests: Int) -> String {
      var text = String(attributes)
      for (name, more) in [("tests", tests), ("errors", errors)] {
        let counts = text.matches(of: /(\w+)=(["'])(\d{1,9})["']/).filter { $0.1 == name }
        guard let count = counts.first, let number = Int(count.3) else { continue }
        text.replaceSubrange(count.range, with: "\(name)=\(count.2)\(number + more)\(count.2)")
      }
      return "<\(name)\(text)>"
    }
  }
}
