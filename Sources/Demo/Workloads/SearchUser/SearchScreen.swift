import ThreadGuard

/// What a search shows. For the main queue only.
final class SearchScreen: @unchecked Sendable {
  /// Where an answer comes from.
  enum Source: Sendable { case nothingTyped, denied, cache, directory, offline }

  struct Answer: Sendable, Equatable {
    var text: String
    var users: [User]
    var source: Source
  }

  @ThreadGuard.OnMainQueue private(set) var answer = Answer(text: "", users: [], source: .nothingTyped)

  func show(_ answer: Answer) { self.answer = answer }
}
