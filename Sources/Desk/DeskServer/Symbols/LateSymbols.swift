#if Desk
  import DeskStore

  /// Symbolicates reports again whose symbols arrived after them: one report at a time, in parallel with all other
  /// work.
  final class LateSymbols: Sendable {
    private let store: any ReportStore
    private let describer: ReportDescriber
    private let live: LiveEvents
    private let queue: WorkQueue
    private let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    init(_ store: any ReportStore, _ describer: ReportDescriber, _ live: LiveEvents, _ queue: WorkQueue) {
      (self.store, self.describer, self.live, self.queue) = (store, describer, live, queue)
    }

    /// Records that the symbols of a build have arrived. The record survives the end of the process.
    func add(_ buildID: String) throws {
      try store.noteSymbols(of: buildID)
      wake.yield()
    }

    /// Does the recorded work, now and after each new record, until its task is cancelled.
    func run() async {
      wake.yield()
      for await _ in wakes {
        do {
          try await fillIn()
        } catch {
          DeskLog.complain("reports were not symbolicated again: \(error)")
        }
      }
    }

    /// Does the recorded work.
    func fillIn() async throws {
      while let buildID = try await queue.run({ [store] in try store.notedSymbols().first }) {
        var last: Int64 = 0
        while !Task.isCancelled {
          let from = last
          let reports = try await queue.run { [store] in try store.reports(lacking: buildID, after: from) }
          guard let end = reports.last?.number else { break }
          for report in reports { try await fillIn(report.id) }
          last = end
        }
        guard !Task.isCancelled else { return }
        try await queue.run { [store] in try store.forgetSymbols(of: buildID) }
      }
    }

    private func fillIn(_ id: ReportID) async throws {
      guard !Task.isCancelled else { return }
      let changed = try await queue.run { [store, describer] in
        guard let bytes = try store.bytes(of: id) else { return [String]() }
        do {
          let report = try describer.describe(id, bytes)
          return try store.update(report).map { [$0, report.fingerprint] } ?? []
        } catch let refusal as Refusal {
          // It was accepted by an earlier version of crashsym.
          DeskLog.complain("\(id.text) stays unchanged: \(refusal)")
          return []
        }
      }
      for fingerprint in changed { live.tell(fingerprint) }
    }
  }
#endif
