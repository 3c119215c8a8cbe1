import CrashReportModel

/// The samples of a hang, merged: what all have in common once, and where they part, the more frequent first.
struct HangSection {
  /// Calls that fewer of a hundred samples share are left out.
  private static let leastShare = 5
  private static let mostLines = 120

  let report: CrashReport
  let options: TextReport.Options

  func print(to printer: inout Printer) {
    guard let hang = report.hang else { return }
    printPool(hang, to: &printer)
    guard let samples = hang.samples, !samples.isEmpty else { return }
    let tree = HangTree(samples, StackLines(report, options.sources))
    let index = report.threads?.firstIndex { $0.id != nil && $0.id == hang.thread }
    let thread = index.flatMap { index in report.threads?[index].label(at: index) }
    let omitted = hang.omittedSamples ?? 0
    printer.heading(
      "\(counted(samples.count, "sample"))\(thread.map { " of thread \($0)" } ?? "") while it hung"
        + (omitted > 0 ? " (\(omitted) more were taken)" : "") + ", outermost call first")
    printer.line()
    var left = Self.mostLines
    print(tree, HangTree.root, depth: 0, left: &left, to: &printer)
    if left <= 0 { printer.line("   ... more calls are not shown; --format collapsed has all", .dim) }
  }

  /// What each thread of a pool did, and what it waits for.
  private func printPool(_ hang: CrashReport.Hang, to printer: inout Printer) {
    let culprit = HangCulprit(report)
    let threads = culprit.threads(of: hang)
    guard hang.subject == "pool", !threads.isEmpty else { return }
    let names = ThreadNames(report)
    printer.heading("The pool's threads")
    printer.line()
    for thread in threads.prefix(Self.mostLines) {
      let wait = thread.waitingFor.map { ", for \(Wait($0).words(names))" }
      let task = thread.task?.label.map { ", in \($0)" } ?? ""
      printer.line("   \(names.label(of: thread.id))\(task) \(culprit.words(of: thread))\(wait ?? "")")
    }
  }

  /// The calls that a node made. A chain of calls without a branch stays in its column. The recursion is as deep as it
  /// prints lines, so `left` bounds it.
  private func print(_ tree: HangTree, _ place: Int, depth: Int, left: inout Int, to printer: inout Printer) {
    let total = tree[HangTree.root].count
    let children = tree.children(of: place)
    let inside = depth + (children.count > 1 ? 1 : 0)
    for child in children where left > 0 {
      let node = tree[child]
      guard let line = node.line, node.count * 100 >= total * Self.leastShare else { continue }
      left -= 1
      let mark = line.isOwn && line.isFrame ? " > " : "   "
      let count = String(node.count).leftPadded(to: String(total).count)
      let text = String(repeating: "  ", count: inside) + line.function + "  "
      if line.isOwn && line.isFrame {
        printer.line([Segment("\(mark)\(count)  "), Segment(text, .bold), Segment(line.location, .location)])
      } else {
        printer.line("\(mark)\(count)  \(text)\(line.location)", .dim)
      }
      print(tree, child, depth: inside, left: &left, to: &printer)
    }
  }
}
