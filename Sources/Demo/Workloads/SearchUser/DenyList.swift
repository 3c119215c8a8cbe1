/// Texts that begin no user's name, learnt from empty answers: a longer text that begins with one finds no user either.
struct DenyList: Sendable {
  private var texts: [String] = []
  private let capacity: Int

  /// - Parameter capacity: How many texts are kept; the oldest goes first.
  init(capacity: Int) { self.capacity = capacity }

  var count: Int { texts.count }

  func denies(_ text: String) -> Bool { texts.contains { text.hasPrefix($0) } }

  /// Notes an empty answer. Longer texts that it covers are dropped.
  mutating func learn(_ text: String) {
    guard !text.isEmpty, !denies(text) else { return }
    texts.removeAll { $0.hasPrefix(text) }
    texts.append(text)
    if texts.count > capacity { texts.removeFirst(texts.count - capacity) }
  }
}
