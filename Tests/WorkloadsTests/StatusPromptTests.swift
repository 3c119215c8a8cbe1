import Foundation
import Testing

@testable import Workloads

@Suite struct StatusPromptTests {
  private let folder = TemporaryFolder()
  private let now = Date(timeIntervalSince1970: 1_800_000_000)

  private func prompt(failsEvery: Int? = nil) -> StatusPrompt {
    let store = StatusStore(path: folder.path + "/status.json", failsEvery: failsEvery)
    return StatusPrompt(store: store, screen: PromptScreen(), months: 6) { [now] in now }
  }

  private func isShown(_ prompt: StatusPrompt) async -> Bool { await onMain { prompt.screen.isShown } }

  @Test func aUserWithoutAStatusIsAsked() async {
    let prompt = prompt()
    await prompt.check()
    #expect(prompt.state == .prompt)
    #expect(await isShown(prompt))
  }

  @Test func aFreshStatusIsLeftAlone() async throws {
    let prompt = prompt()
    try await prompt.store.save(KnownStatus(text: "well", updated: now))
    await prompt.check()
    #expect(prompt.state == .final(.current))
    #expect(await onMain { prompt.screen.timesShown } == 0)
  }

  @Test func anAnswerIsSavedAndNotAskedForAgain() async {
    let prompt = prompt()
    await prompt.check()
    await prompt.answer("well")
    #expect(prompt.state == .final(.updated))
    #expect(prompt.store.load() == KnownStatus(text: "well", updated: now))
    #expect(!(await isShown(prompt)))
    await prompt.check()
    #expect(prompt.state == .final(.current))
  }

  @Test func thePromptMayBePostponed() async {
    let prompt = prompt()
    await prompt.check()
    await prompt.answer(nil)
    #expect(prompt.state == .final(.postponed))
    #expect(!(await isShown(prompt)))
    #expect(prompt.store.load() == nil)
  }

  @Test func eventsOutOfPlaceAreRefusedAndCounted() async {
    let prompt = prompt()
    await prompt.answer("well")
    await prompt.cancel()
    #expect(prompt.state == .idle)
    #expect(prompt.refused == 2)
    #expect(prompt.store.load() == nil)
  }

  @Test func aFailedSaveIsTriedOnceMore() async throws {
    let prompt = prompt(failsEvery: 2)
    try await prompt.store.save(KnownStatus(text: "old", updated: .distantPast))
    await prompt.check()
    await prompt.answer("well")
    #expect(prompt.state == .final(.updated))
    #expect(prompt.store.load()?.text == "well")
  }

  @Test func afterTwoFailuresTheUpdateIsGivenUp() async {
    let prompt = prompt(failsEvery: 1)
    await prompt.check()
    await prompt.answer("well")
    #expect(prompt.state == .final(.cancelled))
    #expect(prompt.store.load() == nil)
  }

  /// One of many checks at once asks, and one of many answers counts.
  @Test func concurrentEventsAskOnce() async {
    let prompt = prompt()
    await withTaskGroup { group in for _ in 1...50 { group.addTask { await prompt.check() } } }
    #expect(prompt.state == .prompt)
    #expect(await onMain { prompt.screen.timesShown } == 1)
    #expect(prompt.refused == 49)
    await withTaskGroup { group in for number in 1...50 { group.addTask { await prompt.answer("\(number)") } } }
    #expect(prompt.state == .final(.updated))
    #expect(prompt.refused == 98)
  }
}
