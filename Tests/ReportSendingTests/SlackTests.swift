import CrashReportModel
import Testing

@testable import ReportSending

@Suite struct SlackTests {
  /// A prepended mark, a combining one and a joiner make one `Character` with what follows or stands before.
  @Test(
    arguments: ["", "\u{600}", "\u{301}", "\u{200d}"],
    ["<!channel>", "&amp;", "```", "@everyone", "](http://evil)"])
  func aTextCannotMentionOrLink(_ mark: String, _ order: String) throws {
    var frame = CrashReport.Frame()
    frame.description = "sell \(mark)\(order.map { "\($0)\(mark)" }.joined())"
    var thread = CrashReport.Thread()
    thread.crashed = true
    thread.frames = [frame]
    var report = CrashReport()
    report.kind = .crashReport
    report.threads = [thread]
    let destination = try SlackDestination("http://h/", DestinationSettings(variable: { _ in nil }))
    let request = destination.request(
      for: SentEvent(id: EventID(of: [1]), .report(report)),
      now: Timestamp(microsecondsSince1970: 1_795_773_600_000_000), isSmall: false)
    guard case .string(let text)? = try JSONParser.parse(request.body).object["text"] else {
      Issue.record("there is no text")
      return
    }
    let scalars = text.unicodeScalars
    #expect(text.contains("sell"), "\(text)")
    #expect(!scalars.contains("<") && !scalars.contains(">"))
    // Six are the block's own.
    #expect(scalars.count { $0 == "`" } == 6)
    for (index, scalar) in zip(scalars.indices, scalars) {
      let rest = scalars[scalars.index(after: index)...]
      if scalar == "@" || scalar == "]" { #expect(rest.first == "\u{2060}") }
      if scalar == "&" { #expect(["amp;", "lt;", "gt;"].contains { rest.starts(with: $0.unicodeScalars) }) }
    }
  }
}
