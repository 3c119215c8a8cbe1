import CrashReportModel

/// The guarded memory that a crash is about: who allocated it, and who released it.
struct GuardedSection {
  let report: CrashReport
  let options: TextReport.Options
  let excerpts: Excerpts

  /// What a thread did with the memory, and where.
  struct Step {
    let heading: String
    /// Where the memory was used, in the heading's terms; empty in the second step.
    let detail: String
    let frames: [CrashReport.Frame]
  }

  /// The allocation, and the release if there was one.
  var steps: [Step] {
    guard let memory = report.guarded else { return [] }
    let names = ThreadNames(report)
    func by(_ step: CrashReport.Guarded.Step) -> String {
      step.thread.map { " by \(names.label(of: $0))" } ?? ""
    }
    var steps: [Step] = []
    if let allocated = memory.allocated {
      steps.append(
        Step(
          heading: "The memory, \(memory.words), was allocated\(by(allocated))", detail: memory.deed(report.causeCode),
          frames: allocated.frames ?? []))
    }
    if let released = memory.released {
      steps.append(Step(heading: "It was released\(by(released))", detail: "", frames: released.frames ?? []))
    }
    return steps
  }

  func print(to printer: inout Printer) {
    for step in steps {
      printer.heading(step.heading)
      if !step.detail.isEmpty { printer.line("  \(step.detail)", .dim) }
      printer.line()
      let lines = StackLines(report, options.sources).lines(step.frames)
      StackPrinting(excerpts: excerpts).print(lines, withSource: true, to: &printer)
    }
  }
}

extension CrashReport.Guarded {
  /// `48 bytes of Store.Order at 0x00007f6cd8233fd0`
  fileprivate var words: String {
    let size = size.map { counted($0, "byte") } ?? "of unknown size"
    let type = type.map { " of \($0)" } ?? ""
    return size + type + (address.map { " at \($0)" } ?? "")
  }

  /// `The crash is about its byte 8.`
  fileprivate func deed(_ cause: CrashReport.CauseCode?) -> String {
    guard let offset, let size, size >= 0 else { return "" }
    let isInside = (0..<size).contains(offset)
    let place = isInside ? "its byte \(offset)" : Self.place(offset, size)
    return switch cause {
    case .doubleFree: "The program released it a second time."
    case .misplacedFree where isInside:
      "The program released the address of \(place) instead of the address of its start."
    case .misplacedFree: "The program released \(place)."
    default: "The crash is about \(place)."
    }
  }

  /// `the address 3 bytes before its start`, `the first byte past its end`
  private static func place(_ offset: Int, _ size: Int) -> String {
    if offset < 0 { return "the address \(counted(offset.magnitude, "byte")) before its start" }
    if offset == size { return "the first byte past its end" }
    return "the address \(counted(offset - size, "byte")) past its end"
  }
}
