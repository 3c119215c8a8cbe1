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
          heading: "The memory, \(memory.words), was allocated\(by(allocated))", detail: memory.place,
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
    let size = size.map { $0 == 1 ? "1 byte" : "\($0) bytes" } ?? "of unknown size"
    let type = type.map { " of \($0)" } ?? ""
    return size + type + (address.map { " at \($0)" } ?? "")
  }

  /// Where the crash touched it: `byte 8`, `2 bytes past its end`.
  fileprivate var place: String {
    guard let offset, let size, size >= 0 else { return "" }
    if offset < 0 { return "The crash is about the address \(0 - offset) bytes before its start." }
    if offset < size { return "The crash is about its byte \(offset)." }
    return "The crash is about the address \(offset - size) bytes past its end."
  }
}
