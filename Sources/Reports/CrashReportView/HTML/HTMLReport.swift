import CrashReportModel

/// Reports as one HTML page: a single file without scripts, which loads no other file.
///
/// The page's policy forbids everything except its own style sheet, which it names by its hash. So even if some text of
/// a report were not escaped, the browser would not run it, style it or load anything for it.
public enum HTMLReport {
  /// One page for all reports.
  public static func text(of reports: [VerifiedReport], options: TextReport.Options) -> String {
    var markup = Markup()
    markup.add(literal: "<!DOCTYPE html>\n")
    markup.element("html", [.literal("lang", "en")]) { markup in
      let heads = reports.map { HeadlineSection(report: $0.report) }
      markup.element("head") { markup in
        markup.leaf("meta", [.literal("charset", "utf-8")])
        markup.leaf(
          "meta", [.literal("name", "viewport"), .literal("content", "width=device-width, initial-scale=1")])
        markup.leaf(
          "meta", [.literal("http-equiv", "Content-Security-Policy"), .literal("content", HTMLStyle.policy)])
        markup.leaf("meta", [.literal("name", "color-scheme"), .literal("content", "light dark")])
        markup.element("title", heads.count == 1 ? heads[0].words : "\(heads.count) reports")
        markup.element("style") { $0.add(literal: HTMLStyle.sheet) }
      }
      markup.endLine()
      markup.element("body") { markup in
        if heads.count != 1 { writeList(heads, to: &markup) }
        markup.element("main") { markup in
          for (index, report) in reports.enumerated() {
            HTMLPage(report, options, index: index, isAlone: heads.count == 1).write(to: &markup)
          }
        }
      }
    }
    markup.endLine()
    return markup.text
  }

  /// One report without a page around it, for a page that has ``sheet`` and its own policy.
  package static func article(of report: VerifiedReport, options: TextReport.Options) -> String {
    var markup = Markup()
    HTMLPage(report, options, index: 0, isAlone: true).write(to: &markup)
    return markup.text
  }

  /// The style sheet of reports.
  package static var sheet: String { "\(HTMLStyle.sheet)" }

  private static func writeList(_ heads: [HeadlineSection], to markup: inout Markup) {
    markup.element("header", [.literal("class", "list")]) { markup in
      markup.element("h1", heads.isEmpty ? "No reports" : counted(heads.count, "report"))
      markup.element("ol") { markup in
        for (index, head) in heads.enumerated() {
          markup.element("li") { $0.element("a", [.link(to: Anchor(report: index))], head.words) }
        }
      }
    }
    markup.endLine()
  }
}

extension HeadlineSection {
  /// Who and what, on one line.
  var words: String { "\(subject) \(headline)" }
}

/// A place on the page that links lead to.
struct Anchor {
  var report: Int
  var thread: Int?

  fileprivate var text: String { "r\(report)" + (thread.map { "t\($0)" } ?? "") }
}

extension Markup.Attribute {
  /// Makes an element the target of links.
  static func id(_ anchor: Anchor) -> Self { page("id", anchor.text) }

  /// A link to a place on the page; there are no others.
  static func link(to anchor: Anchor) -> Self { page("href", "#\(anchor.text)") }
}
