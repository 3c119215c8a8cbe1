import CrashReportModel
import CrashReportView

/// A chat with incoming web hooks like Slack's (Mattermost, Rocket.Chat and Discord's `/slack` have them too).
public struct SlackDestination: Destination {
  public static let kind = "slack"
  public static let place = "URL"
  public static let summary = "a few lines for a chat; its URL is a secret"

  private static let longestStack = 8
  private static let longestText = 3000

  private let address: WebAddress
  private let headers: [HTTPRequest.Header]

  public init(_ place: String, _ settings: DestinationSettings) throws(DestinationError) {
    guard let address = WebAddress(place) else { throw DestinationError("slack: not an http or https URL") }
    self.address = address
    headers = settings.headers
  }

  public var identity: String { address.text }

  public func request(for event: SentEvent, now: Timestamp, isSmall: Bool) -> HTTPRequest {
    var object = JSONObject()
    switch event.content {
    case .report(let report): object["text"] = Self.text(of: report).json
    case .count(let count): object["text"] = Self.escaped(count.sentence).json
    }
    return HTTPRequest(
      url: address.text, headers: [.init("Content-Type", "application/json")] + headers, body: object.json.utf8)
  }

  private static func text(of report: CrashReport) -> String {
    let lines = StackText.lines(of: report.shownFrames).prefix(longestStack).map {
      $0.harmless(upTo: 200).replacing("`", with: "'")
    }
    let stack = lines.isEmpty ? "" : "\n```\n\(lines.joined(separator: "\n"))\n```"
    let facts = [
      report.fingerprint?.value.map { "fingerprint \($0)" }, report.timestamp.map(\.text),
    ].compactMap(\.self).joined(separator: ", ")
    return "*\(escaped(report.headline.harmless(upTo: 500)))*"
      + escaped(stack).prefix(longestText) + (facts.isEmpty ? "" : "\n\(escaped(facts))")
  }

  /// As Slack has it: three characters, no more. A mention or a link needs the first two; a backtick would end the block.
  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
