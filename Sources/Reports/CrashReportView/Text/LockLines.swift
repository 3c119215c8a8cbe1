import CrashReportModel

/// What a thread held and waited for, one line each, under its stack.
struct LockLines {
  let stack: StackLines
  let names: ThreadNames

  func lines(of thread: CrashReport.Thread) -> [[Segment]] {
    let held = (thread.heldLocks ?? []).map { line("holds", $0, "taken", $0.takenAt) }
    return held + (wait(of: thread).map { [$0] } ?? [])
  }

  /// What has no owner, and most threads of a server wait for.
  private static let ownerless: Set = ["condition", "semaphore", "barrier"]

  /// Whether a line says more than the stack does.
  static func tellsMore(_ lock: CrashReport.HeldLock) -> Bool {
    lock.owner != nil || lock.waitsAt != nil || lock.name != nil || !ownerless.contains(lock.type ?? "")
  }

  private func wait(of thread: CrashReport.Thread) -> [Segment]? {
    guard let lock = thread.waitingFor, Self.tellsMore(lock) else { return nil }
    guard lock.waitsAt == nil else { return line("waits for", lock, "asked for", lock.waitsAt) }
    return [Segment("   waits for ", .bold), Segment(Wait(lock).words(names))]
  }

  private func line(
    _ verb: String, _ lock: CrashReport.HeldLock, _ deed: String, _ frames: [CrashReport.Frame]?
  ) -> [Segment] {
    let mode = lock.mode == "shared" ? " for reading" : ""
    let name = lock.name.map { " \"\($0)\"" } ?? ""
    let address = lock.address.map { " at \($0)" } ?? ""
    let lines = stack.lines((frames ?? []).withoutGuard).filter(\.isFrame)
    let place = (lines.first { $0.isOwn } ?? lines.first).map { line in
      ", \(deed) in \(line.function)\(line.location.isEmpty ? "" : ", \(line.location)")"
    }
    return [
      Segment("   \(verb) ", .bold), Segment("\(lock.type ?? "lock")\(name)\(address)\(mode)"),
      Segment(place ?? "", .location),
    ]
  }
}
