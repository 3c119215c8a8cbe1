#if Desk
  import DeskStore
  import Dispatch
  import Foundation
  import Synchronization

  /// Reports that are on the disk and were answered, but that the desk has not described yet. This list is kept as
  /// files, so a desk that was killed continues with it at its next start.
  final class Backlog: Sendable {
    /// A report that the desk described.
    typealias Finish = @Sendable (Taken, ArrivedReport) -> Void

    private struct Entry {
      var id: ReportID
      var project: String?
      /// The report as it was read when it came; `nil` if it is to be read from the disk.
      var report: CheckedReport?
    }

    private struct State {
      var waiting: ArraySlice<Entry> = []
      /// Bytes of those that wait and were read when they came.
      var held = 0
      /// The reports that wait or are being described, each with the requests that wait for the report.
      var open: [ReportID: [CheckedContinuation<Void, Never>]] = [:]
      var workers = 0
      /// Requests that wait until there is room.
      var outside: ArraySlice<CheckedContinuation<Void, Never>> = []
    }

    /// With so few, a sender waits for its report's group. The desk has others to answer if there are more.
    private static let few = 4
    private static let width = 2
    /// More together would keep pages from the database.
    private static let together = 8
    /// A report takes several times its bytes in memory. Those beyond this are read again from the disk.
    private static let mostHeld = 4 << 20
    /// Before the database is tried again.
    private static let pause = 5.0

    private let store: any ReportStore
    private let describer: ReportDescriber
    private let most: Int
    private let finish: Finish
    private let queue = DispatchQueue(label: "crashsym.desk.backlog", attributes: .concurrent)
    private let state = Mutex(State())

    /// - Parameter most: With this many reports in the backlog, senders wait before the desk reads what they send.
    init(_ store: any ReportStore, _ describer: ReportDescriber, most: Int = 20_000, finish: @escaping Finish) {
      (self.store, self.describer, self.most, self.finish) = (store, describer, most, finish)
    }

    /// Continues with the reports that an earlier process left.
    func resume() {
      for (id, project) in store.waiting { add(Entry(id: id, project: project)) }
    }

    /// Returns when one more report may wait.
    func room() async {
      await withCheckedContinuation { continuation in
        let isThere = state.withLock { state in
          guard state.open.count >= most else { return true }
          state.outside.append(continuation)
          return false
        }
        if isThere { continuation.resume() }
      }
    }

    /// How many reports wait, or are being described.
    var count: Int { state.withLock { $0.open.count } }

    func contains(_ id: ReportID) -> Bool { state.withLock { $0.open[id] != nil } }

    /// Adds a report that is on the disk. Whether few wait before it.
    func add(_ report: CheckedReport, of project: String?) -> Bool {
      add(Entry(id: report.id, project: project, report: report))
    }

    @discardableResult
    private func add(_ wanted: Entry) -> Bool {
      var entry = wanted
      let (isNext, begins) = state.withLock { state in
        let isNext = state.open.count < Self.few
        guard state.open[entry.id] == nil else { return (isNext, false) }
        let size = entry.report?.bytes.count ?? 0
        if state.held + size > Self.mostHeld { entry.report = nil } else { state.held += size }
        state.waiting.append(entry)
        state.open[entry.id] = []
        guard state.workers < Self.width else { return (isNext, false) }
        state.workers += 1
        return (isNext, true)
      }
      if begins { queue.async { self.work() } }
      return isNext
    }

    /// Returns when a report is described; at once if it does not wait.
    func described(_ id: ReportID) async {
      await withCheckedContinuation { continuation in
        let waits = state.withLock { state in
          guard state.open[id] != nil else { return false }
          state.open[id]?.append(continuation)
          if let index = state.waiting.firstIndex(where: { $0.id == id }) {
            let entry = state.waiting.remove(at: index)
            state.waiting.insert(entry, at: state.waiting.startIndex)
          }
          return true
        }
        if !waits { continuation.resume() }
      }
    }

    private func work() {
      while true {
        let entries = state.withLock { state in
          let entries = Array(state.waiting.prefix(Self.together))
          state.waiting = state.waiting.dropFirst(entries.count)
          for entry in entries { state.held -= entry.report?.bytes.count ?? 0 }
          if entries.isEmpty { state.workers -= 1 }
          return entries
        }
        guard !entries.isEmpty else { return }
        let reports = entries.compactMap(describe)
        for (report, result) in zip(reports, store.take(reports)) { end(report, result) }
      }
    }

    /// `nil` if it cannot be described.
    private func describe(_ entry: Entry) -> ArrivedReport? {
      do {
        guard let read = try entry.report ?? store.bytes(of: entry.id).map({ try describer.check(entry.id, $0) }) else {
          end(entry.id)
          return nil
        }
        var report = try describer.describe(read)
        report.project = entry.project
        return report
      } catch let refusal as Refusal {
        // It was accepted by another version of crashsym.
        DeskLog.complain("\(entry.id.text) is in no group: \(refusal)")
        do { try store.giveUp(entry.id) } catch { DeskLog.complain("\(error)") }
        end(entry.id)
      } catch {
        putBack(Entry(id: entry.id, project: entry.project), error)
      }
      return nil
    }

    private func end(_ report: ArrivedReport, _ result: Result<Taken, any Error>) {
      do {
        finish(try result.get(), report)
        end(report.id)
      } catch {
        putBack(Entry(id: report.id, project: report.project), error)
      }
    }

    private func end(_ id: ReportID) {
      let (continuations, next) = state.withLock { state in
        (state.open.removeValue(forKey: id) ?? [], state.outside.popFirst())
      }
      for continuation in continuations { continuation.resume() }
      next?.resume()
    }

    /// The disk may be full, or fail. The report is on it: senders do not wait for its group.
    private func putBack(_ entry: Entry, _ error: any Error) {
      DeskLog.complain("\(entry.id.text) waits for its group: \(error)")
      end(entry.id)
      queue.asyncAfter(deadline: .now() + Self.pause) { [weak self] in self?.add(entry) }
    }
  }
#endif
