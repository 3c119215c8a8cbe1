import CrashReportModel

/// Which breadcrumbs a view shows, and which of them the report's own Swift task left.
struct ShownBreadcrumbs {
  /// At most this many breadcrumbs are shown, unless the user wants all.
  static let most = 40

  /// The shown ones, oldest first.
  let breadcrumbs: [CrashReport.Breadcrumb]
  /// The lines before the breadcrumbs: which breadcrumbs are not shown, and what the mark means.
  let notes: [String]
  private let task: Int?

  init(_ report: CrashReport, _ options: TextReport.Options) {
    let all = report.breadcrumbs ?? []
    let task = report.subject?.thread.task?.id
    self.task = task
    let chosen = options.showsTaskAlone ? all.filter { $0.task != nil && $0.task == task } : all
    let kept = options.showsAllBreadcrumbs ? Array(chosen.indices) : Self.kept(of: chosen, task)
    breadcrumbs = kept.map { chosen[$0] }
    var notes: [String] = []
    if options.showsTaskAlone, !all.isEmpty {
      let others = counted(all.count - chosen.count, "breadcrumb")
      notes.append(
        task == nil
          ? "not shown: \(others), because the report's Swift task is not known"
          : "not shown: \(others) of other tasks and threads")
    }
    if breadcrumbs.count < chosen.count {
      let areOlder = kept.first == chosen.count - kept.count
      let hidden = counted(chosen.count - breadcrumbs.count, areOlder ? "older one" : "other")
      notes.append("\(hidden) are not shown; --all-breadcrumbs shows all")
    }
    if let task, breadcrumbs.contains(where: { $0.task == task }) { notes.append("> marks those of task \(task)") }
    self.notes = notes
  }

  /// The places of those that are shown if there are too many: the task's own have room first, then the newest others.
  private static func kept(of breadcrumbs: [CrashReport.Breadcrumb], _ task: Int?) -> [Int] {
    let (others, own) = breadcrumbs.indices.reduce(into: ([Int](), [Int]())) { places, index in
      if task != nil, breadcrumbs[index].task == task { places.1.append(index) } else { places.0.append(index) }
    }
    let newest = own.suffix(most)
    return (newest + others.suffix(most - newest.count)).sorted()
  }

  /// Whether the task of the crashed thread left it.
  func isMarked(_ breadcrumb: CrashReport.Breadcrumb) -> Bool { task != nil && breadcrumb.task == task }
}

extension CrashReport {
  /// The thread that the report is about, and its index: it crashed, broke a rule or hung.
  package var subject: (index: Int, thread: Thread)? {
    let threads = threads ?? []
    let index = threads.firstIndex {
      $0.crashed == true || $0.isViolating == true || (hang?.thread != nil && $0.id == hang?.thread)
    }
    return index.map { ($0, threads[$0]) }
  }
}
