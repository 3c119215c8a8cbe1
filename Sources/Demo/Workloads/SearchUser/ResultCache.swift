/// The answers to the texts that were searched for last.
struct ResultCache: Sendable {
  private var results: [String: [User]] = [:]
  private var order: [String] = []
  private let capacity: Int

  /// - Parameter capacity: How many answers are kept; the one that was used longest ago goes first.
  init(capacity: Int) { self.capacity = capacity }

  var count: Int { order.count }

  mutating func users(for text: String) -> [User]? {
    guard let users = results[text] else { return nil }
    touch(text)
    return users
  }

  mutating func keep(_ users: [User], for text: String) {
    results[text] = users
    touch(text)
    while order.count > capacity { results[order.removeFirst()] = nil }
  }

  private mutating func touch(_ text: String) {
    order.removeAll { $0 == text }
    order.append(text)
  }
}
