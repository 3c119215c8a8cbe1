import CrashReportModel

/// The name of a Swift task and what it does, in words.
extension CrashReport.LiveTask {
  /// "task 17 "fetch profile"".
  var label: String {
    "task \(id?.description ?? "?")" + (name.map { " \"\($0)\"" } ?? "") + (context?.suffix ?? "")
  }

  /// " (cancelled, unmoved for 12 s)".
  func remarks(with others: [String] = []) -> String {
    let unmoved = unmovedFor.flatMap { $0 >= 1 ? "unmoved for \(Formatting.duration($0))" : nil }
    let remarks = others + (isStuck == true ? ["stuck"] : []) + (unmoved.map { [$0] } ?? [])
    return remarks.isEmpty ? "" : " (\(remarks.joined(separator: ", ")))"
  }

  /// What it does, after its name or after a number of tasks.
  func deed(isOne: Bool) -> String {
    switch state {
    case .running: return isOne ? "runs" : "run"
    case .enqueued where awaits?.kind != .actor: return isOne ? "waits for a thread" : "wait for a thread"
    case .enqueued, .suspended, nil: break
    }
    let verb = isOne ? "waits" : "wait"
    switch awaits?.kind {
    case .task: return "\(verb) for \(awaits?.id.map { "task \($0)" } ?? "another task")"
    case .asyncLet: return "\(verb) for \(awaits?.id.map { "its async let, task \($0)" } ?? "an async let")"
    case .group: return "\(verb) for a task group"
    case .continuation: return "\(verb) for a continuation"
    case .sleep: return isOne ? "sleeps" : "sleep"
    case .actor: return "\(verb) for \(awaits?.address.map { "the actor at \($0)" } ?? "an actor")"
    case .stream: return "\(verb) for a stream"
    case .unknown, nil: return verb
    }
  }
}
