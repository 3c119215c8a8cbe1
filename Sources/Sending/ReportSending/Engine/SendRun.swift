/// Sends the reports of several folders, once or until it is stopped.
public struct SendRun {
  /// Statuses of sysexits(3).
  private static let (dataError, inputOutput, temporaryFailure): (Int32, Int32, Int32) = (65, 74, 75)
  /// After a failure to write, in microseconds.
  private static let interval: Int64 = 30_000_000

  private let drainers: [Drainer]
  private let surroundings: Surroundings

  public init(_ drainers: [Drainer], _ surroundings: Surroundings) {
    self.drainers = drainers
    self.surroundings = surroundings
  }

  /// One pass over each folder.
  ///
  /// - Returns: The exit status: 0 if no report remains, 65 if a file was not a report or was rejected, 75 if reports
  ///   remain.
  public func once() throws(SendFailure) -> Int32 {
    var status: Int32 = 0
    for drainer in drainers {
      let outcome = try drainer.pass(waitsForMinutes: false)
      if outcome.isUnfinished {
        status = Self.temporaryFailure
      } else if status == 0, outcome.rejected > 0 || outcome.unread > 0 {
        status = Self.dataError
      }
    }
    return status
  }

  /// Makes a pass over the folders whenever there is work, until `stop` ends the run. If `stop` is `nil`, the run never
  /// ends.
  ///
  /// - Throws: `SendFailure` if a folder is gone. If a disk is full, the run tries again until
  ///   there is room.
  public func follow(until stop: StopSignal? = nil) throws(SendFailure) {
    let watch = FolderWatch(drainers.map(\.descriptor))
    var complaint: String?
    while stop?.isStopped != true {
      var wake: Int64?
      do throws(SendFailure) {
        for drainer in drainers {
          let outcome = try drainer.pass(waitsForMinutes: true)
          if let next = outcome.wake { wake = min(wake ?? next, next) }
        }
        complaint = nil
      } catch {
        guard error.status == Self.inputOutput else { throw error }
        if complaint != error.what { surroundings.note("nothing is sent until this error is corrected", error.what) }
        complaint = error.what
        wake = surroundings.now().microseconds + Self.interval
      }
      watch.wait(milliseconds: wake.map { ($0 - surroundings.now().microseconds) / 1000 + 1 }, until: stop)
    }
  }
}
