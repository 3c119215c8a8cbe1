import CrashReportModel

/// The Swift tasks: those that wait at one place together, then the tree of parents and children.
struct HTMLTasks {
  /// At most this much of a heading is shown.
  private static let longestHeading = 300

  let page: HTMLPage

  func write(to markup: inout Markup, end: Int) {
    let tasks = page.report.tasks ?? []
    guard !tasks.isEmpty else { return }
    let section = TasksSection(report: page.report, options: page.options, excerpts: page.excerpts)
    page.section("Swift tasks", to: &markup) { markup in
      markup.element("p", section.summary(of: tasks))
      let groups = section.groups(tasks)
      var shown = 0
      for group in groups.prefix(TasksSection.mostGroups) where markup.size < end {
        shown += 1
        write(group, section, to: &markup)
        markup.endLine()
      }
      if shown < groups.count { markup.element("p", "tasks wait at \(counted(groups.count - shown, "more place"))") }
      let (rows, isCut) = section.tree(of: tasks)
      guard !rows.isEmpty else { return }
      markup.element("details") { markup in
        markup.element("summary") { $0.add(literal: "Parents and children") }
        writeTree(rows, to: &markup)
        if isCut { markup.element("p") { $0.add(literal: "More tasks are not shown; the report has all.") } }
      }
    }
  }

  private func write(_ group: TasksSection.Group, _ section: TasksSection, to markup: inout Markup) {
    let lines = page.stacks.lines(group.frames)
    markup.element("details") { markup in
      markup.element("summary") { $0.add(section.heading(of: group, lines), upTo: Self.longestHeading) }
      let text = HTMLPage.text { printer in
        StackPrinting(excerpts: page.excerpts).print(lines, withSource: false, to: &printer)
      }
      markup.element("pre") { $0.add(lines: Cutting.text(text, atMost: HTMLPage.Room.text) { $0.utf8.count }) }
    }
  }

  /// Nested lists: the children of a task are in a list below it.
  private func writeTree(_ rows: [(depth: Int, text: String)], to markup: inout Markup) {
    var rest = rows[...]
    markup.element("ul", [.literal("class", "tree")]) { writeRows(&rest, depth: 0, to: &$0) }
  }

  /// The depth of a row is at most 20.
  private func writeRows(_ rows: inout ArraySlice<(depth: Int, text: String)>, depth: Int, to markup: inout Markup) {
    while let row = rows.first, row.depth >= depth {
      rows.removeFirst()
      markup.element("li") { markup in
        markup.add(row.text, upTo: Self.longestHeading)
        guard let next = rows.first, next.depth > depth else { return }
        markup.element("ul") { writeRows(&rows, depth: depth + 1, to: &$0) }
      }
    }
  }
}
