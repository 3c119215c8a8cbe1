import CrashReportModel
import CrashReportReading
import Foundation
import Testing

/// A report in which every text is hostile.
enum HostileReport {
  /// What HTML, XML, Markdown, a terminal or a CI service would obey. `SCRIPTED` stands in the midst of each.
  static let text =
    "\"'><script>SCRIPTED()</script><img src=x onerror=SCRIPTED()>&lt;]]>--><!--\n```\n~~~\n"
    + "# SCRIPTED\n[SCRIPTED](javascript:SCRIPTED) ![SCRIPTED](https://x.example/p.png) @SCRIPTED `SCRIPTED` ``` | a\n"
    + "::error::SCRIPTED\n##[error]SCRIPTED\u{1B}[31m\u{202E}\u{0}\u{FFFF}</code></pre></details></testsuite>"

  /// Texts that the views compare with words of their own, by key: with others a part would not be shown at all.
  private static let keptKeys: Set = [
    "schema", "kind", "timestamp", "time", "state", "address", "faultAddress", "baseAddress", "endOfText", "subject",
    "severity",
  ]

  /// The full report of the fixtures, with everything that it lacks: a violation, a hang, a deadlock, tasks.
  static func report(of text: String = text) throws -> CrashReport {
    let report = try harmless()
    guard case .object(let fields) = hostile(.object(report.fields), text) else { return report }
    return CrashReport(fields: fields)
  }

  /// The same report before it is made hostile.
  static func harmless() throws -> CrashReport {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")
    var bytes = [UInt8](try Data(contentsOf: folder.appending(path: "full.json")))
    let more = try String(contentsOf: folder.appending(path: "hostile-parts.json"), encoding: .utf8)
    bytes.removeLast(bytes.count - (bytes.lastIndex(of: UInt8(ascii: "}")) ?? 0))
    let text = String(decoding: bytes, as: UTF8.self) + "," + more.drop { $0 != "{" }.dropFirst()
    return try #require(try ReportReader.read(Array(text.utf8)).first)
  }

  private static func hostile(_ value: JSONValue, _ text: String) -> JSONValue {
    switch value {
    case .string: .string(text)
    case .array(let elements): .array(elements.map { hostile($0, text) })
    case .object(let object):
      .object(
        JSONObject(
          members: object.members.map { member in
            .init(key: member.key, value: keptKeys.contains(member.key) ? member.value : hostile(member.value, text))
          }))
    default: value
    }
  }
}
