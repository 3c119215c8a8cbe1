import CrashReportModel

/// The threads: the crashed one open, the others by equal stacks, with links to those that have what they wait for.
struct HTMLThreads {
  /// At most this many stacks have a separate line.
  private static let mostStacks = 1000
  /// At most this much of a heading is shown.
  private static let longestHeading = 200
  /// What a heading may take at most, for keeping room.
  private static let headingSize = 400

  private let page: HTMLPage
  private let section: ThreadsSection
  private let locks: LockLines
  private let groups: [ThreadsSection.Group]
  /// The places of the threads at whose headings the threads of these ids are found.
  private let anchors: [Int: Int]

  init(page: HTMLPage) {
    self.page = page
    section = ThreadsSection(report: page.report, options: page.options, excerpts: page.excerpts)
    locks = LockLines(stack: page.stacks, names: page.names)
    groups = section.isShown ? section.groups(page.stacks) : []
    var anchors: [Int: Int] = [:]
    if section.isShown, let crashed = page.threads.firstIndex(where: { $0.crashed == true }) {
      page.threads[crashed].id.map { anchors[$0] = crashed }
    }
    for group in groups.prefix(Self.mostStacks) {
      for member in group.members { page.threads[member].id.map { anchors[$0] = anchors[$0] ?? group.members[0] } }
    }
    self.anchors = anchors
  }

  func writeCrashed(to markup: inout Markup, end: Int) {
    guard section.isShown, let place = page.threads.firstIndex(where: { $0.crashed == true }) else { return }
    let thread = page.threads[place]
    page.section("Crashed thread", to: &markup) { markup in
      markup.element("p", anchor(at: place), section.crashedHeading ?? "")
      HTMLStack(page: page).write(thread.frames ?? [], to: &markup, end: end)
      writeEnd(of: thread, to: &markup)
    }
  }

  func writeOthers(to markup: inout Markup, end: Int) {
    guard !groups.isEmpty else { return }
    let hasCrashed = page.threads.contains { $0.crashed == true }
    page.section(hasCrashed ? "Other threads" : "Threads", to: &markup) { markup in
      var left = min(groups.count, Self.mostStacks)
      for (number, group) in groups.prefix(Self.mostStacks).enumerated() {
        left -= 1
        let hasRoom = markup.size + left * Self.headingSize < end
        write(group, isOpen: !hasCrashed && number == 0, hasRoom: hasRoom, to: &markup, end: end)
        markup.endLine()
      }
      let rest = groups.count - Self.mostStacks
      if rest > 0 { markup.element("p", "\(rest) more stacks are not shown; crashsym shows them") }
    }
  }

  private func write(
    _ group: ThreadsSection.Group, isOpen: Bool, hasRoom: Bool, to markup: inout Markup, end: Int
  ) {
    let first = page.threads[group.members[0]]
    let anchor = anchor(at: group.members[0])
    guard hasRoom else {
      markup.element("p", anchor) { markup in
        markup.add(section.heading(of: group), upTo: Self.longestHeading)
        markup.add("; crashsym shows its stack")
      }
      return
    }
    let open: [Markup.Attribute] = isOpen ? [.literal("open")] : []
    markup.element("details", anchor + open) { markup in
      markup.element("summary") { markup in
        markup.add(section.heading(of: group), upTo: Self.longestHeading)
        if let own = group.lines.first(where: { $0.isOwn && $0.isFrame }) {
          markup.add(" ")
          markup.element("code") { $0.add(own.function, upTo: 80) }
        }
      }
      if isOpen {
        HTMLStack(page: page).write(first.frames ?? [], to: &markup, end: end)
      } else {
        let text = HTMLPage.text { printer in
          StackPrinting(excerpts: page.excerpts).print(group.lines, withSource: false, to: &printer)
        }
        markup.element("pre") { $0.add(lines: Cutting.text(text, atMost: HTMLPage.Room.text) { $0.utf8.count }) }
      }
      writeEnd(of: first, to: &markup)
    }
  }

  /// Why the stack is not complete, which locks the thread holds, and for what it waits.
  private func writeEnd(of thread: CrashReport.Thread, to markup: inout Markup) {
    if let words = section.end(of: thread) { markup.element("p", [.literal("class", "warning")], words) }
    let lines = locks.lines(of: thread)
    guard !lines.isEmpty else { return }
    let waiting = LockLines.tellsMore
    let owner = thread.waitingFor.flatMap { waiting($0) ? $0.owner : nil }
    markup.element("ul", [.literal("class", "locks")]) { markup in
      for (index, line) in lines.prefix(100).enumerated() {
        markup.element("li") { markup in
          for segment in line { markup.add(segment.text) }
          // What it waits for stands last.
          guard index == lines.count - 1, let owner, let target = anchors[owner] else { return }
          markup.add(" ")
          markup.element(
            "a", [.link(to: Anchor(report: page.index, thread: target))], "to \(page.names.label(of: owner))")
        }
      }
    }
  }

  /// What makes the heading of a group the target of links. Of two threads with one id, links lead to the first.
  private func anchor(at place: Int) -> [Markup.Attribute] {
    page.threads[place].id.map { anchors[$0] == place } == true ? [.id(Anchor(report: page.index, thread: place))] : []
  }
}
