import CrashReportModel

/// What a thread did to the two locks of an edge, in words.
struct EdgeWords {
  /// What the thread did with the second lock, such as `took B`.
  let place: String
  /// The same, and how it stood with the first: `took B while it held A`.
  let deed: String
  /// What the thread's second stack shows, such as `took A`; `nil` if it shows nothing new.
  let origin: String?

  /// - Parameter name: How a lock is named, by its place and by how it was taken.
  init(
    _ edge: CrashReport.Violation.Edge, of violation: CrashReport.Violation, _ names: LockNames, waits: Bool,
    name: (_ lock: Int, _ mode: String?) -> String
  ) {
    let from = edge.from.map { name($0, nil) } ?? "a lock"
    let fromHeld = edge.from.map { name($0, edge.fromMode) } ?? "a lock"
    let to = edge.to.map { name($0, edge.toMode) } ?? "a lock"
    func type(_ index: Int?) -> String? { index.flatMap { names.lock($0)?.type } }
    let isLock = type(edge.to) != "semaphore" && type(edge.to) != "group"
    place = (waits ? "waits for " : isLock ? "took " : "waited for ") + (edge.to.map { name($0, nil) } ?? "a lock")
    let deed = waits ? "waits for \(to)" : isLock ? "took \(to)" : "waited for \(to)"
    switch type(edge.from) {
    case "semaphore" where violation.code == "nobody-left", "group" where violation.code == "nobody-left":
      // A thread waits for it elsewhere: no thread holds it.
      self.deed = "\(deed) and might have posted \(from)"
      origin = nil
    case "semaphore":
      // A thread that waited for one has it until it is posted, and a post comes before the locks that are held.
      self.deed = "\(deed) after it waited for \(from), and before \(from) was posted"
      origin = "waited for \(from) or posted it"
    case "group":
      self.deed = "\(deed) while it worked for \(from)"
      origin = "got work that belongs to \(from)"
    default:
      self.deed = "\(deed) while it \(waits ? "holds" : "held") \(fromHeld)"
      origin = "took \(from)"
    }
  }

  /// The same with each lock described: `mutex "db" at 0x…`.
  init(_ edge: CrashReport.Violation.Edge, of violation: CrashReport.Violation, _ names: LockNames, waits: Bool) {
    self.init(edge, of: violation, names, waits: waits) { lock, _ in names.description(of: lock) }
  }
}
