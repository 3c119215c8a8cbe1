#if Desk
  import CrashReportModel
  import CrashReportReading
  import DeskStore
  import Foundation
  import ReportSending

  /// A folder from which a desk takes new reports. The files stay there, and the desk follows no link.
  public final class WatchedFolder: Sendable {
    private let folder: ReportFolder
    private let store: any ReportStore
    private let describer: ReportDescriber

    /// - Throws: `StoreError` if the folder cannot be opened.
    public init(_ path: String, _ store: any ReportStore, _ describer: ReportDescriber) throws(StoreError) {
      do throws(SendFailure) {
        folder = try ReportFolder(path: path)
      } catch {
        throw StoreError(path, error.what)
      }
      (self.store, self.describer) = (store, describer)
    }

    /// Takes what is there, and then what comes, on a thread of its own until the signal; `isOver` is called then.
    func follow(for desk: Desk, until stop: StopSignal, isOver: @escaping @Sendable () -> Void) {
      Thread.detachNewThread { [self] in
        // Before the first look: what comes meanwhile wakes it.
        let watch = FolderWatch([folder.descriptor])
        var seen: Set<ReportFolder.File> = []
        while !stop.isStopped {
          take(&seen, for: desk, until: stop)
          watch.wait(milliseconds: nil, until: stop)
        }
        isOver()
      }
    }

    private func take(_ seen: inout Set<ReportFolder.File>, for desk: Desk, until stop: StopSignal) {
      let files: [ReportFolder.File]
      do throws(SendFailure) {
        files = try folder.files()
      } catch {
        return DeskLog.complain("\(folder.path): \(error.what)")
      }
      // What is gone need not be remembered.
      seen.formIntersection(files)
      for file in files where !stop.isStopped && !seen.contains(file) {
        seen.insert(file)
        do {
          guard let report = try read(file.name) else { continue }
          let taken = try store.take(report)
          desk.counters.count(taken.acceptance, bytes: report.bytes.count)
          if taken.acceptance == .new { desk.live.tell(taken.group) }
          if let alert = Alert(taken, report) { desk.alerts.alerts.send(alert) }
        } catch {
          desk.counters.countRefusal()
          let reason = (error as? ReadingError)?.what ?? "\(error)"
          DeskLog.complain("\(folder.path(of: file.name)): left out: \(reason)")
        }
      }
    }

    /// `nil` if it is gone, or was taken by an earlier process.
    private func read(_ name: String) throws -> ArrivedReport? {
      guard let bytes = try folder.read(name)?.bytes else { return nil }
      let id = ReportID(of: bytes)
      guard try store.report(id) == nil else { return nil }
      return try describer.describe(id, bytes)
    }
  }
#endif
