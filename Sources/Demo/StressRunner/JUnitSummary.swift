import CrashReportModel
import Foundation

/// A stress run as the XML that CI systems read: a suite for each workload, a case for each variant.
public enum JUnitSummary {
  public static func text(_ outcomes: [StressRun.Outcome], settings: StressSettings) -> String {
    let texts = TextSummary(options: .init())
    var suites = ""
    var names: [String] = []
    for name in outcomes.map(\.record.stressCase.workload) where !names.contains(name) { names.append(name) }
    for name in names {
      let cases = outcomes.filter { $0.record.stressCase.workload == name }
      suites += "  <testsuite name=\"\(escaped(name))\" \(counts(of: cases))>\n"
      suites += "    <properties><property name=\"seed\" value=\"\(settings.seed)\"/></properties>\n"
      for outcome in cases { suites += testCase(outcome, settings, texts) }
      suites += "  </testsuite>\n"
    }
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites name="diagdemo stress" \(counts(of: outcomes))>
      \(suites)</testsuites>

      """
  }

  private static func counts(of outcomes: [StressRun.Outcome]) -> String {
    let failures = outcomes.filter { $0.verdict == .failed }.count
    let skipped = outcomes.filter { $0.verdict == .cutShort }.count
    let seconds = outcomes.map(\.record.seconds).reduce(0, +)
    return "tests=\"\(outcomes.count)\" failures=\"\(failures)\" errors=\"0\" skipped=\"\(skipped)\" "
      + "time=\"\(fixed(seconds))\""
  }

  private static func testCase(
    _ outcome: StressRun.Outcome, _ settings: StressSettings, _ texts: TextSummary
  ) -> String {
    let (record, judgement) = (outcome.record, outcome.judgement)
    var text =
      "    <testcase classname=\"\(escaped(record.stressCase.workload))\" "
      + "name=\"\(escaped(record.stressCase.variant.name))\" time=\"\(fixed(record.seconds))\">\n"
    switch outcome.verdict {
    case .passed: break
    case .cutShort: text += "      <skipped message=\"it was interrupted\"/>\n"
    case .failed:
      text +=
        "      <failure type=\"stress\" message=\"\(escaped(judgement.problems.joined(separator: "; ")))\">"
        + "\(escaped(judgement.problems.joined(separator: "\n")))\n"
        + "again: \(escaped(settings.command(for: record.stressCase)))</failure>\n"
    }
    text += "      <system-out>\(escaped(texts.text(of: outcome, settings: settings)))</system-out>\n"
    return text + "    </testcase>\n"
  }

  private static func fixed(_ seconds: Double) -> String { String(format: "%.3f", seconds) }

  /// Text for an element or an attribute. A log may get it too, so each line is harmless; what XML 1.0 has no way to write
  /// besides becomes U+FFFD.
  static func escaped(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      var result = ""
      for scalar in String(line).harmless(upTo: .max).unicodeScalars {
        switch scalar {
        case "&": result += "&amp;"
        case "<": result += "&lt;"
        case ">": result += "&gt;"
        case "\"": result += "&quot;"
        case "\u{FFFE}"..."\u{FFFF}": result += "\u{FFFD}"
        default: result.unicodeScalars.append(scalar)
        }
      }
      return result
    }.joined(separator: "\n")
  }
}
