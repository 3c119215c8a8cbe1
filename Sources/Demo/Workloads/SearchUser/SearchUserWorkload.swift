import Dispatch
import ThreadGuard

/// A search for users as you type.
public struct SearchUserWorkload: Workload {
  public static let name = "searchuser"
  public static let summary = "A search as you type, with a cache, a deny list and an offline store"

  public static let variants = [
    Variant("correct", "The answer to the newest text stays on the screen, even if older answers arrive later"),
    Variant(
      "late-answer-wins", "Several threads number the texts and check which text is the newest, without a lock",
      planted: [Plant("dataRace", at: [HastySearch.counts])]),
    Variant(
      "answer-off-main", "An answer is shown on the thread on which it arrives",
      planted: [Plant("mainQueueViolation", at: [SearchScreen.showsWhereAnswerCame])]),
    Variant(
      "inverted-stores", "A look-up locks the cache and then the store; a refresh locks them in the opposite order",
      planted: [
        Plant("lockOrderInversion", at: [LayeredCache.looksUpStoreInCache, LayeredCache.refreshesCacheInStore])
      ]),
  ]

  public init() {}

  public func run(_ variant: Variant, in context: WorkloadContext) async throws {
    let directory = StubDirectory(seed: context.seed)
    switch variant.name {
    case "late-answer-wins": await compareHastily(context)
    case "answer-off-main": try await showOffMain(context, directory)
    case "inverted-stores": await layer(context, directory)
    default: try await runCorrectly(context, directory)
    }
  }

  private func runCorrectly(_ context: WorkloadContext, _ directory: StubDirectory) async throws {
    let path = context.folder + "/users.json"
    let store = OfflineStore(path: path)
    let search = UserSearch(screen: SearchScreen(), directory: directory, store: store, pause: .milliseconds(1))
    try await context.inTasks { participant, random in
      for text in Self.keystrokes(directory, &random) {
        search.type(text)
        try await Task.sleep(for: .microseconds(Int.random(in: 0...3000, using: &random)))
      }
      if participant == 1 { try store.save() }
    }
    for text in ["", directory.users[0].name] {
      await search.type(text).value
      let shown = await onMain { search.screen.answer }
      try BrokenPromise.unless(
        shown.text == text, "the answer to '\(shown.text)' is shown instead of the answer to '\(text)'")
      let isComplete = shown.source == .offline || text.isEmpty || shown.users == directory.matches(text)
      try BrokenPromise.unless(isComplete, "'\(text)' finds \(shown.users)")
    }
    try store.save()
    let all = Set(directory.users)
    let kept = OfflineStore(path: path).users(matching: "")
    try BrokenPromise.unless(all.isSuperset(of: kept), "the offline store holds users that nobody has found")
  }

  private func compareHastily(_ context: WorkloadContext) async {
    let search = HastySearch()
    let answers = DispatchQueue(label: "directory.answers", attributes: .concurrent)
    await context.onThreads("keyboard") { _, random in
      let number = search.number
      search.begin()
      let keys = Int.random(in: 1...20, using: &random)
      answers.sync { for _ in 0..<keys { _ = search.isWanted(number) } }
    }
  }

  private func showOffMain(_ context: WorkloadContext, _ directory: StubDirectory) async throws {
    try await context.inTasks { _, random in
      let screen = SearchScreen()
      for text in Self.keystrokes(directory, &random) {
        do { try await screen.showAnswer(of: directory, for: text) } catch is Offline { continue }
      }
    }
  }

  /// Looks up, and refreshes only then: the two never meet, but the order of the locks is still wrong.
  private func layer(_ context: WorkloadContext, _ directory: StubDirectory) async {
    let caches = LayeredCache()
    var random = context.random(for: 1)
    let texts = Self.keystrokes(directory, &random)
    await on(DispatchQueue(label: "search")) { for text in texts { _ = caches.users(for: text) } }
    await on(DispatchQueue(label: "refresh")) {
      for text in texts { caches.refresh(directory.matches(text), for: text) }
    }
  }

  /// The texts in the field while a user types a name, perhaps with a slip at its end.
  private static func keystrokes(_ directory: StubDirectory, _ random: inout SeededGenerator) -> [String] {
    let name = directory.users.randomElement(using: &random)!.name + (Bool.random(using: &random) ? "" : "x")
    return (0...name.count).map { String(name.prefix($0)) }
  }
}
