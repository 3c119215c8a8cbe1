#if Desk
  import CrashReportModel
  import Synchronization

  /// Sends what has changed of the live programs to the browsers that show it, once a second, and every ten seconds to
  /// hidden pages. Each text is made once for all of them.
  final class LiveFeed: Sendable {
    static let mostListeners = 100
    private static let slowTurn = 10

    private struct State {
      var turn = 0
      /// How far those in a hurry and the slow ones have been told.
      var told = [false: 0, true: 0]
    }

    let listeners = EventListeners(most: mostListeners)
    private let programs: LivePrograms
    private let pages: LivePages
    private let state = Mutex(State())

    init(_ programs: LivePrograms, _ pages: LivePages) { (self.programs, self.pages) = (programs, pages) }

    /// All that a page shows, and then what changes of it.
    ///
    /// - Parameter id: The program of the page; `nil` for the list.
    /// - Throws: ``Refusal`` if too many browsers listen.
    func listen(_ id: String?, isSlow: Bool) throws -> ListenedEvents {
      try listeners.listen(.init(topic: id ?? "", isSlow: isSlow)) { text(id ?? "", since: 0) ?? ": nothing\n\n" }
    }

    /// Sends what has changed since the last turn.
    func turn(_ now: Timestamp) {
      programs.look(now)
      let wishes = listeners.wishes
      // A reader of a program's page sees its events.
      for wish in wishes where !wish.topic.isEmpty && !wish.isSlow { programs.markSeen(wish.topic) }
      let change = programs.change
      let (told, isSlowTurn) = state.withLock { state in
        state.turn += 1
        defer {
          state.told[false] = change
          if state.turn.isMultiple(of: Self.slowTurn) { state.told[true] = change }
        }
        return (state.told, state.turn.isMultiple(of: Self.slowTurn))
      }
      for wish in wishes where !wish.isSlow || isSlowTurn {
        guard let text = text(wish.topic, since: told[wish.isSlow] ?? 0) else { continue }
        listeners.send(text) { $0 == wish }
      }
    }

    /// Sends all readers a metric that became critical, at once.
    func tell(_ event: LivePush.Event, of program: LiveProgram) {
      var object = JSONObject()
      object["program"] = [program.last.name, program.last.host].compactMap { $0 }.joined(separator: " on ").json
      object["text"] = LivePages.line(event).json
      object["page"] = "/live/\(program.id)".json
      let text = Self.event("critical", object.json.text)
      listeners.send(text) { $0.topic.isEmpty || $0.topic == program.id }
    }

    /// `nil` if nothing has changed.
    private func text(_ topic: String, since change: Int) -> String? {
      var parts = ""
      if topic.isEmpty {
        parts = programs.all.filter { $0.change > change }.map(pages.row).joined()
      } else if let program = programs.program(topic), program.change > change {
        parts = pages.parts(program).map(\.1).joined()
      }
      guard !parts.isEmpty else { return nil }
      return Self.event("parts", pages.badge(programs.unread) + parts)
    }

    private static func event(_ name: String, _ data: String) -> String {
      let lines = data.split(whereSeparator: \.isNewline).map { "data: \($0)\n" }.joined()
      return "event: \(name)\n\(lines)\n"
    }
  }
#endif
