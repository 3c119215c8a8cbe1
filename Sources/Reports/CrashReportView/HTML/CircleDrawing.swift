import CrashReportModel

/// A circle of threads and locks as SVG: from the top down, and back from the last to the first.
struct CircleDrawing: Drawing {
  /// A thread or a lock.
  private struct Node {
    let title: String
    let detail: String
    let isThread: Bool
  }

  /// Larger circles are not drawn: the text next to the drawing lists them.
  private static let mostNodes = 24
  /// At most this many characters fit into a box, and next to an arrow.
  private static let widest = (box: 38, arrow: 28)
  private static let box = (x: 40, width: 310, height: 46, gap: 40)

  private let nodes: [Node]
  /// The words at the arrow from each node to the next, and from the last to the first.
  private let arrows: [String]

  /// Threads that wait for each other, each with what it waits for; `nil` if there is no circle to draw.
  init?(_ deadlock: CrashReport.Deadlock, of page: HTMLPage) {
    let steps = deadlock.steps ?? []
    guard !steps.isEmpty, steps.count * 2 <= Self.mostNodes else { return nil }
    let threads = ThreadsByID(page.report)
    var nodes: [Node] = []
    for step in steps {
      nodes.append(
        Node(title: page.names.label(of: step.thread), detail: Self.place(threads[step.thread], page), isThread: true))
      let type = step.type == "thread" ? "the end of a thread" : step.type ?? "lock"
      nodes.append(
        Node(
          title: type + (step.name.map { " \"\($0)\"" } ?? ""), detail: step.address?.description ?? "",
          isThread: false))
    }
    self.nodes = nodes
    arrows = steps.flatMap { step in
      ["waits for" + (step.mode == "shared" ? " (to read)" : ""), step.type == "thread" ? "of" : "held by"]
    }
  }

  /// Locks that were taken in a circle; `nil` if the orders do not follow each other.
  init?(_ violation: CrashReport.Violation, of page: HTMLPage) {
    let edges = violation.edges ?? []
    let names = LockNames(violation.locks ?? [])
    guard edges.count >= 2, edges.count <= Self.mostNodes else { return nil }
    for (edge, next) in zip(edges, edges.dropFirst() + edges.prefix(1)) where edge.to == nil || edge.to != next.from {
      return nil
    }
    nodes = edges.map { edge in
      let lock = edge.from.flatMap(names.lock)
      let title = [edge.from.map(names.letter), lock?.type ?? "lock", lock?.name.map { "\"\($0)\"" }]
      return Node(
        title: title.compactMap { $0 }.joined(separator: " "), detail: lock?.address?.description ?? "", isThread: false
      )
    }
    let waits = page.report.kind == .deadlock
    arrows = edges.map { "\(page.names.label(of: $0.thread?.id)) \(waits ? "waits for" : "took")" }
  }

  /// The place of a thread in the program's own code.
  private static func place(_ thread: CrashReport.Thread?, _ page: HTMLPage) -> String {
    page.stacks.lines(thread?.frames ?? []).first { $0.isOwn && $0.isFrame }?.function ?? ""
  }

  // MARK: SVG

  func write(to markup: inout Markup) {
    let step = Self.box.height + Self.box.gap
    let height = step * nodes.count
    let label = "A circle: " + zip(nodes, arrows).map { "\($0.title) \($1)" }.joined(separator: " ")
    markup.element(
      "svg",
      [
        .literal("class", "circle"), .literal("role", "img"), .text(.label, label), .count("width", 380),
        .count("height", height), .page("viewBox", "0 0 380 \(height)"),
      ]
    ) { markup in
      for (index, node) in nodes.enumerated() {
        write(node, at: index * step + 2, to: &markup)
        let isLast = index == nodes.count - 1
        writeArrow(arrows[index], below: index * step + 2 + Self.box.height, isLast: isLast, to: &markup)
      }
    }
  }

  private func write(_ node: Node, at top: Int, to markup: inout Markup) {
    let middle = Self.box.x + Self.box.width / 2
    markup.element("g", [node.isThread ? .literal("class", "thread") : .literal("class", "lock")]) { markup in
      markup.element("title", "\(node.title) \(node.detail)")
      markup.leaf(
        "rect",
        [
          .count("x", Self.box.x), .count("y", top), .count("width", Self.box.width),
          .count("height", Self.box.height), .count("rx", node.isThread ? 4 : 20),
        ])
      let baseline = node.detail.isEmpty ? 28 : 20
      text(node.title, Self.widest.box, at: (middle, top + baseline), isBold: true, to: &markup)
      if !node.detail.isEmpty { text(node.detail, Self.widest.box, at: (middle, top + 37), isBold: false, to: &markup) }
    }
  }

  /// An arrow down to the next box, or from the last one around to the first.
  private func writeArrow(_ words: String, below top: Int, isLast: Bool, to markup: inout Markup) {
    let middle = Self.box.x + Self.box.width / 2
    if isLast {
      let bottom = top + 20
      let entry = 2 + Self.box.height / 2
      markup.leaf(
        "path",
        [.literal("class", "arrow"), .page("d", "M\(middle) \(top)V\(bottom)H12V\(entry)H\(Self.box.x - 8)")])
      head(at: Self.box.x, entry, isDown: false, to: &markup)
      text(words, Self.widest.box, at: (middle, bottom + 15), isBold: false, to: &markup)
    } else {
      markup.leaf("path", [.literal("class", "arrow"), .page("d", "M\(middle) \(top)v\(Self.box.gap - 8)")])
      head(at: middle, top + Self.box.gap, isDown: true, to: &markup)
      let cut = Self.cut(words, Self.widest.arrow)
      markup.element("text", [.count("x", middle + 10), .count("y", top + 24)], cut)
    }
  }

  private func head(at x: Int, _ y: Int, isDown: Bool, to markup: inout Markup) {
    let points =
      isDown ? "\(x),\(y) \(x - 5),\(y - 9) \(x + 5),\(y - 9)" : "\(x),\(y) \(x - 9),\(y - 5) \(x - 9),\(y + 5)"
    markup.leaf("polygon", [.literal("class", "head"), .page("points", points)])
  }

  private func text(_ words: String, _ widest: Int, at place: (x: Int, y: Int), isBold: Bool, to markup: inout Markup) {
    let weight: [Markup.Attribute] = isBold ? [.literal("class", "title")] : []
    markup.element(
      "text", weight + [.count("x", place.x), .count("y", place.y), .literal("text-anchor", "middle")],
      Self.cut(words, widest))
  }

  private static func cut(_ text: String, _ longest: Int) -> String {
    let text = text.harmless
    return text.count > longest ? text.prefix(longest - 1) + "…" : text
  }
}
