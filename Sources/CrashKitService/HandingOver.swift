#if CrashKitService
  import CrashKit
  import Dispatch
  import Synchronization

  /// Gives stored reports to the program, until the service stops.
  final class HandingOver: Sendable {
    private struct State {
      var isStopped = false
      /// The last that was begun, which may have ended.
      var last: Attempt?
    }

    private struct Attempt {
      var task: Task<Void, Never>
      /// Finished at its end.
      var end: AsyncStream<Void>
    }

    private let state = Mutex(State())
    private let counts: ReportCounts
    private let body: @Sendable (CrashKit.StoredReport) async throws -> Void

    /// Begins, on a thread of CrashKit's.
    init(
      from directory: String, _ counts: ReportCounts,
      to body: @escaping @Sendable (CrashKit.StoredReport) async throws -> Void
    ) {
      self.counts = counts
      self.body = body
      CrashKit.handOverStoredReports(in: directory) { self.give($0) }
    }

    /// Begins no more of them, cancels the one under way, and waits for its end: not longer than `limit`.
    func stop(within limit: Duration) async {
      let last = state.withLock { state in
        state.isStopped = true
        return state.last
      }
      guard let last else { return }
      last.task.cancel()
      // In a task of its own: if the service's task is cancelled, neither wait would last.
      await Task {
        await withTaskGroup { group in
          group.addTask { for await _ in last.end {} }
          group.addTask { try? await Task.sleep(for: limit) }
          await group.next()
          group.cancelAll()
        }
      }.value
    }

    /// Hands a report over and waits for the end, because the thread then continues with the next report.
    private func give(_ report: CrashKit.StoredReport) {
      let hasEnded = DispatchSemaphore(value: 0)
      let (end, ending) = AsyncStream.makeStream(of: Void.self)
      let isBegun = state.withLock { state in
        guard !state.isStopped else { return false }
        let task = Task {
          await hand(report)
          ending.finish()
          hasEnded.signal()
        }
        state.last = Attempt(task: task, end: end)
        return true
      }
      if isBegun { hasEnded.wait() }
    }

    private func hand(_ report: CrashKit.StoredReport) async {
      // The program may remove the report.
      counts.count(report.name)
      do {
        try await body(report)
        try report.markHandled()
      } catch {
        CrashKit.say("\(report.name) was not handed over; the next start tries again: \(error)")
      }
    }
  }
#endif
