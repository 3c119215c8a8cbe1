import CrashReportModel

/// What a thread did to the two locks of an order, in words.
struct EdgeWords {
  /// What it did to the second lock, and how it stood with the first.
  let deed: String
  /// What its second stack shows; `nil` where that says nothing.
  let origin: String?

  init(
    _ edge: CrashReport.Violation.Edge, of violation: CrashReport.Violation, _ names: LockNames, waits: Bool
  ) {
    let from = edge.from.map(names.description(of:)) ?? "a lock"
    let to = edge.to.map(names.description(of:)) ?? "a lock"
    let locks = violation.locks ?? []
    func type(_ index: Int?) -> String? { index.flatMap { locks.indices.contains($0) ? locks[$0].type : nil } }
    let isLock = type(edge.to) != "semaphore" && type(edge.to) != "group"
    let deed = waits ? "waits for \(to)" : isLock ? "took \(to)" : "waited for \(to)"
    switch type(edge.from) {
    case "semaphore" where violation.code == "nobody-left", "group" where violation.code == "nobody-left":
      // It is waited for elsewhere: nobody has it.
      self.deed = "\(deed) and might have posted \(from)"
      origin = nil
    case "semaphore":
      // Whoever waited for one has it until it is posted, and a post comes before the locks that are held.
      self.deed = "\(deed) between a wait for \(from) and its post"
      origin = "waited for \(from), or posted it"
    case "group":
      self.deed = "\(deed) while it worked for \(from)"
      origin = "was given work of \(from)"
    default:
      self.deed = "\(deed) while it \(waits ? "holds" : "held") \(from)"
      origin = "took \(from)"
    }
  }
}
