import Testing

@testable import Workloads

@Suite(.timeLimit(.minutes(30))) struct UserSearchTests {
  private struct ScriptedDirectory: UserDirectory {
    let script: Scripted<String, [User]>
    func users(matching text: String) async throws -> [User] { try await script.ask(text) }
  }

  private let script = Scripted<String, [User]>()
  private let clock = ManualClock()
  private let folder = TemporaryFolder()
  private let store: OfflineStore
  private let search: UserSearch
  private let bela = User(number: 1, name: "bela")
  private let beno = User(number: 2, name: "beno")

  init() {
    store = OfflineStore(path: folder.path + "/users.json")
    search = UserSearch(
      screen: SearchScreen(), directory: ScriptedDirectory(script: script), store: store, pause: .milliseconds(300),
      clock: clock)
  }

  private func shown() async -> SearchScreen.Answer { await onMain { [search] in search.screen.answer } }

  /// Types a text and lets the pause go by.
  private func ask(_ text: String) async -> Task<Void, Never> {
    let task = search.type(text)
    await clock.sleepers(1)
    clock.advance(by: .milliseconds(300))
    await script.isAsked(text)
    return task
  }

  private func find(_ text: String, _ users: [User]) async {
    let task = await ask(text)
    await script.answer(text, with: .success(users))
    await task.value
  }

  @Test func theDirectoryIsAskedOnceTheTypingPauses() async {
    let given = [search.type("b"), search.type("be"), search.type("bel")]
    await given[0].value
    await given[1].value
    await clock.sleepers(1)
    clock.advance(by: .milliseconds(299))
    #expect(script.asked.isEmpty)
    clock.advance(by: .milliseconds(1))
    await script.answer("bel", with: .success([bela]))
    await given[2].value
    #expect(script.asked == ["bel"])
    #expect(await shown() == .init(text: "bel", users: [bela], source: .directory))
  }

  @Test func aLateAnswerToAnOlderTextDoesNotWin() async {
    let older = await ask("b")
    let newer = await ask("be")
    await script.answer("be", with: .success([beno]))
    await newer.value
    await script.answer("b", with: .success([bela, beno]))
    await older.value
    #expect(await shown() == .init(text: "be", users: [beno], source: .directory))
  }

  /// It is worth keeping all the same.
  @Test func aLateAnswerIsCached() async {
    let older = await ask("b")
    await search.type("").value
    await script.answer("b", with: .success([bela]))
    await older.value
    #expect(await shown().source == .nothingTyped)
    await search.type("b").value
    #expect(await shown() == .init(text: "b", users: [bela], source: .cache))
    #expect(script.asked == ["b"])
  }

  @Test func anEmptyTextIsAnsweredAtOnce() async {
    await find("b", [bela])
    await search.type("").value
    #expect(await shown() == .init(text: "", users: [], source: .nothingTyped))
    #expect(script.asked == ["b"])
  }

  @Test func anEmptyAnswerIsRememberedForLongerTexts() async {
    await find("bx", [])
    await search.type("bxy").value
    #expect(await shown() == .init(text: "bxy", users: [], source: .denied))
    #expect(script.asked == ["bx"])
  }

  @Test func withoutADirectoryTheStoreAnswers() async {
    await find("bela", [bela])
    let task = await ask("b")
    await script.answer("b", with: .failure(Offline()))
    await task.value
    #expect(await shown() == .init(text: "b", users: [bela], source: .offline))
  }

  /// What the store answers is no answer of the directory's: the next time it is asked again.
  @Test func anOfflineAnswerIsNotCached() async {
    let task = await ask("b")
    await script.answer("b", with: .failure(Offline()))
    await task.value
    await find("b", [bela])
    #expect(script.asked == ["b", "b"])
    #expect(await shown().users == [bela])
  }

  @Test func aDirectoryFollowsFromItsSeed() {
    #expect(StubDirectory(seed: 7).users == StubDirectory(seed: 7).users)
    #expect(StubDirectory(seed: 7).users != StubDirectory(seed: 8).users)
  }
}
