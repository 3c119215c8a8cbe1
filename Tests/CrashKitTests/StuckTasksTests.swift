import Testing

@testable import CrashKit

/// Which tasks count as stuck, by looks that are made up.
@Suite struct StuckTasksTests {
  private static func task(
    _ id: UInt64, _ awaits: CrashKit.LiveTask.Awaited? = .continuation, parent: UInt64? = nil, place: UInt64 = 1,
    chain: UInt64? = nil, sleeps: Bool = false, isWatched: Bool = true,
    state: CrashKit.LiveTask.State = .suspended
  ) -> StuckTasks.Task {
    StuckTasks.Task(
      id: id, parent: parent, state: state, awaits: awaits, place: place, chain: chain ?? id, isSleeping: sleeps,
      isWatched: isWatched)
  }

  /// Looks at one second each, at a limit of ten; what each of them finds.
  private func looks(_ count: Int, _ tasks: (Int) -> [StuckTasks.Task]) -> [[UInt64]] {
    var stuck = StuckTasks(limit: 10)
    return (0..<count).map { number in stuck.look(tasks(number), at: UInt64(100 + number)).map(\.id) }
  }

  @Test func aTaskIsFoundOnceAndNotBeforeTheLimit() {
    let found = looks(30) { _ in [Self.task(7)] }
    #expect(found[10] == [7])
    #expect(found.flatMap { $0 } == [7])
  }

  @Test func aTaskThatMovesSleepsOrRunsIsNotFound() {
    let found = looks(30) { number in
      [
        Self.task(1, place: UInt64(number / 8)), Self.task(2, sleeps: true), Self.task(3, nil, state: .running),
        Self.task(4, nil, state: .enqueued), Self.task(5, isWatched: false),
      ]
    }
    #expect(found.flatMap { $0 }.isEmpty)
  }

  @Test func aTaskThatWaitsForARunningTaskIsNotStuck() {
    let found = looks(30) { number in
      [
        Self.task(1, .group), Self.task(2, .task(3), parent: 1), Self.task(3, sleeps: true), Self.task(4, .task(nil)),
        Self.task(5, .task(99)), Self.task(6, .group),
      ]
    }
    #expect(found.flatMap { $0 }.isEmpty)
  }

  @Test func theCauseIsFoundAndNotTheTasksThatWaitForIt() {
    let found = looks(30) { _ in [Self.task(1, .group), Self.task(2, .asyncLet(3), parent: 1), Self.task(3)] }
    #expect(found.flatMap { $0 } == [3])
  }

  @Test func tasksThatWaitForEachOtherAreFoundTogether() {
    let found = looks(30) { _ in [Self.task(1, .group), Self.task(2, .task(1), parent: 1)] }
    #expect(found.filter { !$0.isEmpty } == [[1, 2]])
  }

  @Test func eachPlaceIsReportedOnce() {
    let found = looks(60) { number in
      [Self.task(1, chain: 5)] + (number > 20 ? [Self.task(2, chain: 5)] : []) + (number > 40 ? [Self.task(3)] : [])
    }
    #expect(found.filter { !$0.isEmpty } == [[1], [1, 2, 3]])
  }

  @Test func timeInWhichTheProcessDidNotRunDoesNotCount() {
    var stuck = StuckTasks(limit: 10)
    for number in 0..<5 { #expect(stuck.look([Self.task(1)], at: UInt64(number)).isEmpty) }
    stuck.forget(1000)
    #expect(stuck.look([Self.task(1)], at: 1006).isEmpty)
    #expect(stuck.look([Self.task(1)], at: 1010).map(\.id) == [1])
  }
}
