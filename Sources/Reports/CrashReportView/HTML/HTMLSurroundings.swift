import CrashReportModel

/// Process and machine, missing symbols and how to get them, images, and how the report was made.
struct HTMLSurroundings {
  let page: HTMLPage

  func write(to markup: inout Markup, end: Int) {
    let rows = SurroundingsSection(report: page.report).rows
    if !rows.isEmpty {
      page.section("Process and machine", to: &markup) { HTMLHistory.write(rows.map { ($0.title, $0.text) }, to: &$0) }
    }
    let missing = HTMLPage.text { MissingSymbolsSection(report: page.report).print(to: &$0) }
    if !missing.isEmpty {
      page.section("Missing symbols", to: &markup) { markup in
        markup.element("pre") { $0.add(lines: Cutting.text(missing, atMost: 30_000) { $0.utf8.count }) }
      }
    }
    writeImages(to: &markup, end: end)
    let notes = GapsSection(report: page.report).notes
    guard !notes.isEmpty else { return }
    page.section("About this report", to: &markup) { markup in
      markup.element("ul") { markup in
        for note in notes.prefix(50) { markup.element("li") { $0.add(note, upTo: 400) } }
      }
    }
  }

  private func writeImages(to markup: inout Markup, end: Int) {
    let images = page.report.images ?? []
    guard !images.isEmpty else { return }
    page.section("Images", to: &markup) { markup in
      markup.element("details") { markup in
        markup.element("summary", counted(images.count, "image"))
        markup.element("ul", [.literal("class", "images")]) { markup in
          for (index, image) in images.enumerated() {
            guard markup.size < end else {
              markup.element("li", "\(images.count - index) more; crashsym shows them")
              break
            }
            write(image, to: &markup)
          }
        }
      }
    }
  }

  private func write(_ image: CrashReport.Image, to markup: inout Markup) {
    markup.element("li") { markup in
      markup.element("strong") { $0.add(image.name ?? "?", upTo: 200) }
      for text in [image.baseAddress?.description, image.buildID.map { "build ID \($0)" }, image.path] {
        guard let text else { continue }
        markup.add(" ")
        markup.element("code") { $0.add(text, upTo: 300) }
      }
    }
    markup.endLine()
  }
}
