import CrashReportModel

/// Adds a suite to the JUnit file of a test run.
public enum JUnitMerging {
  private static let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"

  /// A new file with nothing else in it.
  static func file(holding suite: String) -> String { "\(head)<testsuites>\n\(suite)</testsuites>\n" }

  /// The file with a further suite for these reports; a new file if the old one is empty.
  ///
  /// - Returns: The new file, or `nil` if the old one is not a complete JUnit file.
  public static func merged(_ reports: [VerifiedReport], into old: [UInt8], options: TextReport.Options) -> [UInt8]? {
    let suite = JUnitFile.suite(of: reports, options: options)
    var rest = old[...]
    while let last = rest.last, isBlank(last) { rest.removeLast() }
    guard rest.contains(where: { !isBlank($0) }) else { return Array(file(holding: suite).utf8) }
    guard let root = JUnitRoot.read(rest).root else { return nil }
    let (before, after) = (rest[..<root.range.lowerBound], rest[root.range.upperBound...])
    let errors = reports.count { Finding($0.report, options.sources).severity != .note }
    let tag = root.adding(errors, of: reports.count, in: rest)
    switch root.name {
    // If a test crashes, Swift Testing leaves the root's start tag and nothing after it.
    case "testsuites" where after.isEmpty: return before + tag + "\n\(suite)</testsuites>\n".utf8
    case "testsuites":
      let end = Array("</testsuites>".utf8)
      guard !root.isEmpty, after.ends(with: end) else { return nil }
      return before + tag + after.dropLast(end.count) + "\(suite)</testsuites>\n".utf8
    case "testsuite":
      guard root.isEmpty ? after.isEmpty : after.ends(with: Array("</testsuite>".utf8)) else { return nil }
      return before + Array("<testsuites>\n".utf8) + rest[root.range.lowerBound...] + "\n\(suite)</testsuites>\n".utf8
    default: return nil
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}

extension ArraySlice<UInt8> {
  fileprivate func ends(with end: [UInt8]) -> Bool { suffix(end.count).elementsEqual(end) }
}
