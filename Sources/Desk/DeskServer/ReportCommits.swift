#if Desk
  import DeskStore
  import Dispatch
  import Synchronization

  /// Reports on their way to the disk. Those that come while others are written are written together, after them: the
  /// disk's time is the same for one and for many.
  final class ReportCommits: Sendable {
    private struct Waiting {
      let report: ReceivedReport
      let continuation: CheckedContinuation<Acceptance, any Error>
    }

    private struct State {
      var waiting: [Waiting] = []
      var isWriting = false
    }

    private static let mostTogether = 64
    private static let mostWaiting = 256
    private let store: any ReportStore
    private let queue = DispatchQueue(label: "crashsym.desk.commits")
    private let state = Mutex(State())

    init(_ store: any ReportStore) { self.store = store }

    /// Stores a report. When this returns, the report is on the disk.
    ///
    /// - Throws: The error of the store, or ``Refusal`` if too many reports wait.
    func take(_ report: ReceivedReport) async throws -> Acceptance {
      try await withCheckedThrowingContinuation { continuation in
        let (isTaken, begins) = state.withLock { state -> (Bool, Bool) in
          guard state.waiting.count < Self.mostWaiting else { return (false, false) }
          state.waiting.append(Waiting(report: report, continuation: continuation))
          defer { state.isWriting = true }
          return (true, !state.isWriting)
        }
        if !isTaken { continuation.resume(throwing: Refusal(.busy, "too many reports at a time")) }
        if begins { queue.async { self.write() } }
      }
    }

    private func write() {
      while true {
        let together = state.withLock { state in
          let first = Array(state.waiting.prefix(Self.mostTogether))
          state.waiting.removeFirst(first.count)
          state.isWriting = !first.isEmpty
          return first
        }
        guard !together.isEmpty else { return }
        for (waiting, result) in zip(together, store.receive(together.map(\.report))) {
          waiting.continuation.resume(with: result)
        }
      }
    }
  }
#endif
