import CrashReportModel

/// The samples of a hang as a flame graph in SVG, the outermost call at the top: the wider a call, the more samples have it.
///
/// Positions and widths are shares of the page's width, so that names stay as large as other text: each is cut off where
/// its box ends.
struct FlameGraph: Drawing {
  private static let row = 19
  private static let mostRows = 120
  private static let mostCalls = 1500
  /// Calls of a smaller share of the width are left out.
  private static let leastShare = 0.004

  private struct Box {
    let line: StackLine
    let count: Int
    let row: Int
    let start: Double
    let width: Double
  }

  private let boxes: [Box]
  private let rows: Int
  private let total: Int

  /// Lays out the samples; `nil` if there is no sample.
  init?(_ hang: CrashReport.Hang, of page: HTMLPage) {
    guard let samples = hang.samples, !samples.isEmpty else { return nil }
    let tree = HangTree(samples, page.stacks)
    total = tree[HangTree.root].count
    var boxes: [Box] = []
    // All calls of a row, then those that they made.
    var row = 0
    var level = [(place: HangTree.root, start: 0.0)]
    while !level.isEmpty, row < Self.mostRows, boxes.count < Self.mostCalls {
      var next: [(place: Int, start: Double)] = []
      for (place, start) in level {
        var start = start
        for child in tree.children(of: place) {
          let count = tree[child].count
          let width = Double(count) / Double(total)
          guard let line = tree[child].line, width >= Self.leastShare, boxes.count < Self.mostCalls else { continue }
          boxes.append(Box(line: line, count: count, row: row, start: start, width: width))
          next.append((child, start))
          start += width
        }
      }
      level = next
      row += 1
    }
    self.boxes = boxes
    rows = (boxes.last?.row ?? 0) + 1
  }

  func write(to markup: inout Markup) {
    markup.element(
      "svg",
      [
        .literal("class", "flame"), .literal("role", "img"),
        .text(.label, "Flame graph of \(counted(total, "sample")); the list below says the same"),
        .literal("width", "100%"), .count("height", rows * Self.row),
      ]
    ) { markup in
      for box in boxes {
        markup.element(
          "svg",
          [
            .number("x", box.start * 100, "%"), .count("y", box.row * Self.row), .number("width", box.width * 100, "%"),
            .count("height", Self.row - 1),
          ]
        ) { markup in
          let place = box.line.location.isEmpty ? "" : ", \(box.line.location)"
          markup.element("title", "\(box.line.function): \(box.count) of \(total) samples\(place)")
          let isOwn = box.line.isOwn && box.line.isFrame
          markup.leaf(
            "rect",
            [
              isOwn ? .literal("class", "own") : .literal("class", "other"), .literal("width", "100%"),
              .literal("height", "100%"),
            ])
          markup.element("text", [.count("x", 4), .count("y", 13)]) { $0.add(box.line.function, upTo: 120) }
        }
      }
    }
  }
}
