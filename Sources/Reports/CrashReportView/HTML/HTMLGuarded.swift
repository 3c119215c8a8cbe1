import CrashReportModel

/// The guarded memory that a crash is about.
struct HTMLGuarded {
  let page: HTMLPage

  func write(to markup: inout Markup, end: Int) {
    let steps = GuardedSection(report: page.report, options: page.options, excerpts: page.excerpts).steps
    guard !steps.isEmpty else { return }
    page.section("Guarded memory", to: &markup) { markup in
      for step in steps {
        markup.element("p", step.detail.isEmpty ? "\(step.heading)." : "\(step.heading). \(step.detail)")
        HTMLStack(page: page).write(step.frames, to: &markup, end: end)
      }
    }
  }
}
