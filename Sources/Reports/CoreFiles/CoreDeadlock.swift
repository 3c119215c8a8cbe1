import CrashReportModel

extension CrashReport.Deadlock {
  /// The circles of threads that wait for each other; `nil` if no threads do.
  init?(of threads: [CrashReport.Thread]) {
    var circles = Self.circles(of: threads).map { circle in
      var deadlock = Self()
      deadlock.steps = circle.map { Step(threads[$0]) }
      return deadlock
    }[...]
    guard let first = circles.popFirst() else { return nil }
    self = first
    if !circles.isEmpty { others = Array(circles) }
  }

  /// Each circle by the places of its threads.
  private static func circles(of threads: [CrashReport.Thread]) -> [[Int]] {
    let places = Dictionary(
      threads.enumerated().compactMap { index, thread in thread.id.map { ($0, index) } },
      uniquingKeysWith: { first, _ in first })
    func next(_ index: Int) -> Int? { threads[index].waitingFor?.owner.flatMap { places[$0] } }
    var walks = [Int?](repeating: nil, count: threads.count)
    return threads.indices.compactMap { start in
      var place: Int? = start
      while let index = place, walks[index] == nil {
        walks[index] = start
        place = next(index)
      }
      guard let first = place, walks[first] == start else { return nil }
      var circle = [first]
      while let index = next(circle[circle.count - 1]), index != first { circle.append(index) }
      return circle
    }
  }
}

extension CrashReport.Deadlock.Step {
  fileprivate init(_ thread: CrashReport.Thread) {
    self.init(fields: JSONObject())
    self.thread = thread.id
    address = thread.waitingFor?.address
    type = thread.waitingFor?.type
    mode = thread.waitingFor?.mode
    owner = thread.waitingFor?.owner
    name = thread.waitingFor?.name
  }
}
