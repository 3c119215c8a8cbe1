import CrashReportModel
import CrashReportView

/// A stress run as the XML that CI systems read: a suite for each workload, a case for each variant.
public enum JUnitSummary {
  public static func text(_ outcomes: [StressRun.Outcome], settings: StressSettings) -> String {
    var names: [String] = []
    for name in outcomes.map(\.record.stressCase.workload) where !names.contains(name) { names.append(name) }
    var markup = Markup()
    markup.add(literal: "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
    markup.element("testsuites", [.literal("name", "diagdemo stress")] + counts(of: outcomes)) { markup in
      markup.endLine()
      for name in names {
        let cases = outcomes.filter { $0.record.stressCase.workload == name }
        markup.element("testsuite", [.text(.name, name)] + counts(of: cases)) { markup in
          markup.endLine()
          markup.element("properties") { markup in
            markup.leaf("property", [.literal("name", "seed"), .text(.value, String(settings.seed))])
          }
          markup.endLine()
          for outcome in cases { write(outcome, settings, to: &markup) }
        }
        markup.endLine()
      }
    }
    markup.endLine()
    return markup.text
  }

  private static func counts(of outcomes: [StressRun.Outcome]) -> [Markup.Attribute] {
    [
      .count("tests", outcomes.count), .count("failures", outcomes.count { $0.verdict == .failed }),
      .count("errors", 0), .count("skipped", outcomes.count { $0.verdict == .cutShort }),
      .number("time", outcomes.map(\.record.seconds).reduce(0, +)),
    ]
  }

  private static func write(_ outcome: StressRun.Outcome, _ settings: StressSettings, to markup: inout Markup) {
    let (record, judgement) = (outcome.record, outcome.judgement)
    let attributes: [Markup.Attribute] = [
      .text(.classname, record.stressCase.workload), .text(.name, record.stressCase.variant.name),
      .number("time", record.seconds),
    ]
    markup.element("testcase", attributes) { markup in
      markup.endLine()
      switch outcome.verdict {
      case .passed: break
      case .cutShort: markup.leaf("skipped", [.literal("message", "it was interrupted")])
      case .failed:
        let message = judgement.problems.joined(separator: "; ")
        markup.element("failure", [.literal("type", "stress"), .text(.message, message)]) { markup in
          markup.add(lines: judgement.problems.joined(separator: "\n"))
          markup.add(lines: "\nagain: \(settings.command(for: record.stressCase))")
        }
      }
      markup.endLine()
      markup.element("system-out") {
        $0.add(lines: TextSummary(options: .init()).text(of: outcome, settings: settings))
      }
      markup.endLine()
    }
    markup.endLine()
  }
}
