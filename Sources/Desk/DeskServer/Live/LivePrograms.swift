#if Desk
  import CrashReportModel
  import Synchronization

  /// The programs that push their readings. They are in memory alone: the desk forgets them when it ends, and each is there
  /// again with its next push.
  final class LivePrograms: Sendable {
    /// The result of a push.
    struct Taken: Sendable {
      var program: LiveProgram
      /// Whether the desk did not know the program.
      var isFirst: Bool
      /// Events that the desk did not have, the oldest first.
      var fresh: [LivePush.Event]
    }

    private static let most = 300
    /// A program that sends nothing for this long is forgotten, in microseconds.
    private static let longestSilence: Int64 = 3_600_000_000

    private struct State {
      var programs: [String: LiveProgram] = [:]
      var change = 0
      var pushes = 0
      var lastEdit = 0
    }

    private let state = Mutex(State())

    /// Takes a push in.
    ///
    /// - Throws: ``Refusal`` if there are too many programs.
    func take(_ push: LivePush, of id: String, at now: Timestamp) throws -> Taken {
      try state.withLock { state in
        var program: LiveProgram
        let isFirst = state.programs[id] == nil
        if let known = state.programs[id] {
          program = known
        } else {
          guard makeRoom(in: &state) else { throw Refusal(.busy, "\(Self.most) programs are live already") }
          program = LiveProgram(id: id, last: push, heard: now)
        }
        state.pushes += 1
        let fresh = program.take(push, at: now)
        keep(program, in: &state)
        return Taken(program: program, isFirst: isFirst, fresh: fresh)
      }
    }

    private func keep(_ program: LiveProgram, in state: inout State) {
      state.change += 1
      var program = program
      program.change = state.change
      state.programs[program.id] = program
    }

    /// If there are too many, the one goes that is silent for longest.
    private func makeRoom(in state: inout State) -> Bool {
      guard state.programs.count >= Self.most else { return true }
      let quiet = state.programs.values.filter { $0.last.hasEnded || $0.isSilent }
      guard let oldest = quiet.min(by: { $0.heard < $1.heard }) else { return false }
      state.programs[oldest.id] = nil
      return true
    }

    /// Finds the programs that are silent, and forgets programs that have been silent for long.
    func look(_ now: Timestamp) {
      state.withLock { state in
        for program in state.programs.values {
          if now.microseconds - program.heard.microseconds > Self.longestSilence {
            state.programs[program.id] = nil
          } else if program.isLate(now) != program.isSilent {
            var changed = program
            changed.isSilent = program.isLate(now)
            keep(changed, in: &state)
          }
        }
      }
    }

    /// Those with something critical first, then by name.
    var all: [LiveProgram] {
      func order(_ program: LiveProgram) -> (Int, String, String, Int, String) {
        let rank = program.last.hasEnded || program.isSilent ? 2 : program.critical.isEmpty ? 1 : 0
        return (rank, program.last.name, program.last.host ?? "", program.last.process ?? 0, program.id)
      }
      return state.withLock { Array($0.programs.values) }.sorted { order($0) < order($1) }
    }

    func program(_ id: String) -> LiveProgram? { state.withLock { $0.programs[id] } }

    /// How often anything has changed.
    var change: Int { state.withLock { $0.change } }

    /// Wants another threshold of a program, which gets it with the answer to its next push. False if there is no such
    /// program or metric.
    func edit(_ threshold: Double, of metric: String, in id: String, now: Timestamp) -> Bool {
      state.withLock { state in
        guard var program = state.programs[id], program.last.metrics.contains(where: { $0.name == metric }) else {
          return false
        }
        // Greater than those of a desk that ran before, which the program may know.
        state.lastEdit = max(state.lastEdit + 1, Int(now.microseconds))
        program.edits[metric] = .init(number: state.lastEdit, threshold: threshold)
        keep(program, in: &state)
        return true
      }
    }

    /// People have seen the events that there are.
    func markSeen(_ id: String) {
      state.withLock { state in
        guard var program = state.programs[id], program.unread > 0 else { return }
        program.seen = program.newest
        keep(program, in: &state)
      }
    }

    /// Events that people have not seen, of all programs.
    var unread: Int { state.withLock { state in state.programs.values.reduce(0) { $0 + $1.unread } } }

    /// For `/metrics`: pushes since the start, and programs.
    var counts: (pushes: Int, programs: Int) { state.withLock { ($0.pushes, $0.programs.count) } }
  }
#endif
