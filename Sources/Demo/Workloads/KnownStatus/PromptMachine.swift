/// The prompt about an outdated status as a finite state machine. A value: who shares it brings a lock.
///
/// ```
/// idle ─start→ check ─current→ final(current)
///                └─outdated→ prompt ─accept→ update ─edited→ save ─saved→ final(updated)
///                              │               ↑              └─failed→ update
///                              └─postpone→ final(postponed)
/// check, prompt and update ─cancel→ final(cancelled);  final ─start→ check
/// ```
struct PromptMachine: Sendable, Equatable {
  enum Outcome: Sendable { case current, updated, postponed, cancelled }
  enum State: Sendable, Equatable {
    case idle, check, prompt, update, save
    case final(Outcome)
  }
  enum Event: Sendable, CaseIterable { case start, current, outdated, accept, postpone, edited, saved, failed, cancel }

  private(set) var state = State.idle

  /// Takes the event in, and says whether the state that it found admits it. Nothing changes if it does not.
  mutating func handle(_ event: Event) -> Bool {
    guard let next = Self.state(after: event, in: state) else { return false }
    state = next
    return true
  }

  /// The state that an event leads to; `nil` if it has no place.
  static func state(after event: Event, in state: State) -> State? {
    switch (state, event) {
    case (.idle, .start), (.final, .start): .check
    case (.check, .current): .final(.current)
    case (.check, .outdated): .prompt
    case (.prompt, .accept): .update
    case (.prompt, .postpone): .final(.postponed)
    case (.update, .edited): .save
    case (.save, .saved): .final(.updated)
    case (.save, .failed): .update
    case (.check, .cancel), (.prompt, .cancel), (.update, .cancel): .final(.cancelled)
    default: nil
    }
  }
}
