/// Shortens texts of many lines.
enum Cutting {
  /// Whole lines up to a limit, and how many more there are.
  static func text(_ text: String, atMost limit: Int, by length: (Substring) -> Int) -> String {
    guard length(text[...]) > limit else { return text }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    func rest(_ count: Int) -> String { "... \(count) more lines; crashsym shows them\n" }
    let room = limit - rest(lines.count).utf8.count
    var (kept, used, count) = ("", 0, 0)
    for line in lines {
      used += length(line) + 1
      guard used <= room else { break }
      kept += line + "\n"
      count += 1
    }
    return kept + rest(lines.count - count)
  }
}
