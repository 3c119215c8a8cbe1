import CrashReportModel

/// Threads that wait for each other in a circle: why nothing goes on.
struct DeadlockSection {
  let report: CrashReport

  func print(to printer: inout Printer) {
    let steps = report.deadlock?.steps ?? []
    guard !steps.isEmpty else { return }
    let names = ThreadNames(report)
    printer.heading(
      steps.count == 1
        ? "Deadlock: a thread waits for what it has itself" : "Deadlock: \(steps.count) threads wait for each other")
    for step in steps {
      let what = Wait(type: step.type, mode: step.mode, address: step.address, owner: step.owner)
      printer.line("   \(names.label(of: step.thread)) waits for \(what.words(names))")
    }
  }
}

/// How threads are called in sentences.
struct ThreadNames {
  private let report: CrashReport

  init(_ report: CrashReport) { self.report = report }

  /// "thread 42 "worker"".
  func label(of id: Int?) -> String {
    guard let id else { return "a thread" }
    let index = report.threads?.firstIndex { $0.id == id }
    return "thread \(index.flatMap { report.threads?[$0].label(at: $0) } ?? id.description)"
  }
}

/// What a thread waits for, in words.
struct Wait {
  let type: String?
  let mode: String?
  let address: Address?
  let owner: Int?

  /// "the mutex at 0x…, held by thread 42 "worker"", or "the end of thread 42".
  func words(_ names: ThreadNames) -> String {
    if type == "thread" { return "the end of \(names.label(of: owner))" }
    let place = address.map { " at \($0)" } ?? ""
    let holder = owner.map { ", held by \(names.label(of: $0))" } ?? ""
    return "the \(type ?? "lock")\(place)\(mode == "shared" ? " for reading" : "")\(holder)"
  }
}
