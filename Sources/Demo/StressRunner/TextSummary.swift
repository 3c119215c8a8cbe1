import CrashReportModel
import CrashReportView
import Foundation

/// The text about a stress run for people.
public struct TextSummary: Sendable {
  private let view: ShortReport
  private let usesColor: Bool

  public init(options: TextReport.Options) {
    view = ShortReport(options: options)
    usesColor = options.usesColor
  }

  /// One variant: whether it passed and why, its findings, and the command to run it again if it failed.
  public func text(of outcome: StressRun.Outcome, settings: StressSettings) -> String {
    let (record, judgement) = (outcome.record, outcome.judgement)
    let mark =
      switch outcome.verdict {
      case .passed: colored("ok    ", "32")
      case .failed: colored("FAILED", "1;31")
      case .cutShort: "      "
      }
    var lines = ["\(mark) \(record.stressCase.name)  \("\(record.end)".harmless), \(fixed(record.seconds)) s"]
    lines.append("       \(record.stressCase.variant.summary)")
    if outcome.verdict == .failed {
      lines += judgement.problems.map { "       " + colored("! \($0.harmless)", "31") }
      lines.append("       again: \(settings.command(for: record.stressCase))")
      if let folder = record.folder { lines.append("       what it said: \(folder.standardError.harmless)") }
    }
    for find in judgement.finds {
      guard let found = find.found else { continue }
      let places = find.plant.places.map(\.description).joined(separator: ", ")
      lines.append("       found \(find.plant.kind)\(places.isEmpty ? "" : " at \(places)")")
      lines += block(found)
    }
    if !judgement.extras.isEmpty {
      let isCorrect = record.stressCase.variant.isCorrect
      lines.append(isCorrect ? "       reported:" : "       not planted, and reported as well:")
      for extra in judgement.extras { lines += block(extra) }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// A report, two reports of several mistakes being one after the other.
  private func block(_ found: FoundReport) -> [String] {
    view.text(of: found.verified).split(separator: "\n").map { "         \($0)" } + [
      "           report: \(found.path.harmless)"
    ]
  }

  /// The resources that each process used.
  public func footprints(_ outcomes: [StressRun.Outcome]) -> String {
    let rows = outcomes.compactMap { outcome -> [String]? in
      guard let footprint = outcome.record.footprint else { return nil }
      return [
        outcome.record.stressCase.name, "\(fixed(footprint.cpuSeconds)) s", bytes(footprint.peakBytes),
        bytes(footprint.writtenBytes),
        footprint.launchSeconds.map { "\(fixed($0 * 1000)) ms" } ?? "-",
      ]
    }
    let table = [["", "CPU time", "peak memory", "disk written", "launch"]] + rows
    let widths = (0..<5).map { column in table.map { $0[column].count }.max() ?? 0 }
    return table.map { row in
      row.enumerated().map { column, cell in
        let blanks = String(repeating: " ", count: widths[column] - cell.count)
        return column == 0 ? cell + blanks : blanks + cell
      }.joined(separator: "  ")
    }.joined(separator: "\n") + "\n"
  }

  /// The last lines: how many variants passed, where the reports are, and how to run all of it again.
  public func conclusion(
    _ outcomes: [StressRun.Outcome], of count: Int, settings: StressSettings, folder: RunFolder, interrupted: Bool
  ) -> String {
    let failed = outcomes.filter { $0.verdict == .failed }
    let cutShort = outcomes.filter { $0.verdict == .cutShort }.count
    let passed = outcomes.count - failed.count - cutShort
    var lines = ["\(passed) of \(count) variants passed, \(failed.count) failed"]
    if interrupted {
      lines[0] = "interrupted: \(lines[0]), \(cutShort) cut short, \(count - outcomes.count) not run"
    }
    lines += failed.map { "  FAILED \($0.record.stressCase.name)" }
    lines.append("reports: \(folder.path.harmless)")
    lines.append("again:   \(settings.command)")
    return lines.joined(separator: "\n") + "\n"
  }

  private func fixed(_ value: Double) -> String { String(format: "%.1f", value) }

  private func bytes(_ count: Int) -> String {
    count < 1 << 20 ? "\((count + 512) >> 10) KiB" : String(format: "%.1f MiB", Double(count) / Double(1 << 20))
  }

  private func colored(_ text: String, _ code: String) -> String {
    usesColor ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
