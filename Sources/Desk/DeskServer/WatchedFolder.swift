#if Desk
  import CrashReportModel
  import CrashReportReading
  import DeskStore
  import Foundation
  import ReportSending

  /// A folder from which a desk reads new reports. The files stay there, and the desk follows no link.
  public final class WatchedFolder: Sendable {
    /// Milliseconds before a file is tried again that the desk could not store.
    private static let pause: Int64 = 5000

    private let folder: ReportFolder

    /// - Throws: `StoreError` if the folder cannot be opened.
    public init(_ path: String) throws(StoreError) {
      do throws(SendFailure) {
        folder = try ReportFolder(path: path)
      } catch {
        throw StoreError(path, error.what)
      }
    }

    /// Takes the reports that are in the folder, and then new reports, on a separate thread until the signal. Then it
    /// calls `isOver`.
    func follow(
      for desk: Desk, until stop: StopSignal, pause: Int64 = WatchedFolder.pause, isOver: @escaping @Sendable () -> Void
    ) {
      Thread.detachNewThread { [self] in
        // Before the first look: what comes meanwhile wakes it.
        let watch = FolderWatch([folder.descriptor])
        var seen: Set<ReportFolder.File> = []
        while !stop.isStopped {
          let isDone = take(&seen, for: desk, until: stop)
          watch.wait(milliseconds: isDone ? nil : pause, until: stop)
        }
        isOver()
      }
    }

    /// False if a file is to be tried again.
    private func take(_ seen: inout Set<ReportFolder.File>, for desk: Desk, until stop: StopSignal) -> Bool {
      let files: [ReportFolder.File]
      do throws(SendFailure) {
        files = try folder.files()
      } catch {
        DeskLog.complain("\(folder.path): \(error.what)")
        return true
      }
      // What is gone need not be remembered.
      seen.formIntersection(files)
      var isDone = true
      for file in files where !stop.isStopped && !seen.contains(file) {
        seen.insert(file)
        guard let error = DeskServer.wait({ [self] in try await take(file, for: desk) }) else { continue }
        desk.counters.countRefusal()
        let path = folder.path(of: file.name)
        if let error = error as? ReadingError {
          DeskLog.complain("\(path): left out: \(error.what)")
        } else if let refusal = error as? Refusal, refusal.retryAfter == nil {
          DeskLog.complain("\(path): left out: \(refusal)")
        } else {
          DeskLog.complain("\(path): not stored yet: \(error)")
          seen.remove(file)
          isDone = false
        }
      }
      return isDone
    }

    private func take(_ file: ReportFolder.File, for desk: Desk) async throws {
      let door = desk.door
      await door.room()
      guard file.size <= door.limits.unpacked else {
        throw Refusal(.tooLarge, "longer than \(door.limits.unpacked) bytes")
      }
      let share = desk.room.share()
      try share.take(file.size)
      guard let bytes = try folder.read(file.name)?.bytes else { return }
      let id = ReportID(of: bytes)
      // An earlier process may have taken it.
      guard try !door.has(id) else { return }
      _ = try await door.take(door.describer.check(id, bytes), of: nil, waits: false)
      withExtendedLifetime(share) {}
    }
  }
#endif
