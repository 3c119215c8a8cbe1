import Foundation
import Testing

@testable import Workloads

@Suite struct PromptMachineTests {
  typealias State = PromptMachine.State
  typealias Event = PromptMachine.Event

  static let states: [State] = [
    .idle, .check, .prompt, .update, .save, .final(.current), .final(.updated), .final(.postponed), .final(.cancelled),
  ]

  /// Everything that leads anywhere. What is not here is refused.
  static func next(_ state: State, _ event: Event) -> State? {
    switch state {
    case .idle, .final: [.start: State.check][event]
    case .check: [.current: .final(.current), .outdated: .prompt, .cancel: .final(.cancelled)][event]
    case .prompt: [.accept: .update, .postpone: .final(.postponed), .cancel: .final(.cancelled)][event]
    case .update: [.edited: .save, .cancel: .final(.cancelled)][event]
    case .save: [.saved: .final(.updated), .failed: .update][event]
    }
  }

  @Test(arguments: states, Event.allCases) func theTableHasEveryTransition(state: State, event: Event) {
    #expect(PromptMachine.state(after: event, in: state) == Self.next(state, event))
  }

  @Test func aRefusedEventChangesNothing() {
    var machine = PromptMachine()
    let admitted = [Event.saved, .start, .start].map { machine.handle($0) }
    #expect(admitted == [false, true, false])
    #expect(machine.state == .check)
  }
}

@Suite struct StatusAgeTests {
  private func date(_ year: Int, _ month: Int, _ day: Int) -> Date {
    Calendar.utc.date(from: DateComponents(year: year, month: month, day: day))!
  }

  @Test func monthsAreThoseOfTheCalendar() {
    let status = KnownStatus(text: "well", updated: date(2026, 1, 31))
    #expect(!status.isOutdated(afterMonths: 1, at: date(2026, 2, 28)))
    #expect(status.isOutdated(afterMonths: 1, at: date(2026, 3, 1)))
    #expect(!status.isOutdated(afterMonths: 6, at: date(2026, 7, 31)))
    #expect(status.isOutdated(afterMonths: 6, at: date(2026, 8, 1)))
  }

  @Test func aStatusFromTheFutureIsNotOutdated() {
    #expect(!KnownStatus(text: "well", updated: date(2027, 1, 1)).isOutdated(afterMonths: 0, at: date(2026, 1, 1)))
  }
}
