import CrashReportModel

/// What a thread held and waited for, one line each, under its stack.
struct LockLines {
  let stack: StackLines

  func lines(of thread: CrashReport.Thread) -> [[Segment]] {
    let held = (thread.heldLocks ?? []).map { line("holds", $0, "taken", $0.takenAt) }
    return held + (thread.waitingFor.map { [line("waits for", $0, "asked for", $0.waitsAt)] } ?? [])
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
