import CrashReportModel
import CrashReportView

/// A chat with incoming web hooks like Slack's (Mattermost, Rocket.Chat and Discord's `/slack` have them too).
public struct SlackDestination: Destination {
  public static let kind = "slack"
  public static let place = "URL"
  public static let summary = "a few lines for a chat; its URL is a secret"

  private static let mostLines = 8
  private static let longestLine = 200
  /// Of the stack as it is sent. Slack cuts messages of more than 4,000 characters.
  private static let longestStack = 2500

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
    case .count(let count): object["text"] = Self.line(count.sentence, atMost: 500).json
    }
    // Addresses that a program wrote are not called.
    object["unfurl_links"] = false.json
    object["unfurl_media"] = false.json
    return HTTPRequest(
      url: address.text, headers: [.init("Content-Type", "application/json")] + headers, body: object.json.utf8)
  }

  private static func text(of report: CrashReport) -> String {
    var stack = ""
    for text in StackText.lines(of: report.shownFrames).prefix(mostLines) {
      let line = "\n" + line(text, atMost: longestLine)
      guard stack.utf8.count + line.utf8.count <= longestStack else { break }
      stack += line
    }
    if !stack.isEmpty { stack = "\n```\(stack)\n```" }
    let facts = [
      report.fingerprint?.value.map { "fingerprint \($0)" }, report.timestamp.map(\.text),
    ].compactMap(\.self).joined(separator: ", ")
    return "*\(line(report.headline, atMost: 500))*" + stack
      + (facts.isEmpty ? "" : "\n\(line(facts, atMost: longestLine))")
  }

  /// A program's text as one line without any effect in a chat.
  ///
  /// Slack requires escapes for three characters; mentions and links need the first two. A backtick would end the
  /// block. Mattermost and Discord also read mentions such as `@channel` and `@everyone` in plain text, and links from
  /// `](`: a joiner without width separates these. A mark may combine with the character before it, so this function
  /// checks each scalar.
  package static func line(_ text: String, atMost limit: Int) -> String {
    text.harmless(upTo: limit).replacingScalars { scalar in
      switch scalar {
      case "`": "'"
      case "@": "@\u{2060}"
      case "]": "]\u{2060}"
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      default: nil
      }
    }
  }
}
