import Dispatch
import ThreadGuard

/// A background task that finishes after the program has entered the background, and then touches the layout.
public struct BackgroundLayoutWorkload: Workload {
  public static let name = "background-layout"
  public static let summary = "Windows save their contents in the background, then collapse their layout"

  public static let variants = [
    Variant(
      "correct",
      "When the task is done or has expired, the layout is collapsed on the main queue"),
    Variant(
      "layout-off-main", "The layout is collapsed on the queue that saves the contents",
      planted: [Plant("mainQueueViolation", at: [Scene.collapsesWhereItSaved])]),
    Variant(
      "unsynchronised-count", "Running tasks are counted on several threads without a lock",
      planted: [Plant("dataRace", at: [CountedTasks.counts])]),
  ]

  public init() {}

  public func run(_ variant: Variant, in context: WorkloadContext) async throws {
    switch variant.name {
    case "layout-off-main": try await collapseAtOnce(context)
    case "unsynchronised-count": await count(context)
    default: try await runCorrectly(context)
    }
  }

  private func runCorrectly(_ context: WorkloadContext) async throws {
    let tasks = BackgroundTasks()
    let clock = DispatchQueue(label: "system.clock")
    let scenes = (1...context.threads).map {
      Scene("scene\($0)", layout: ScreenLayout(rows: 12), tasks: tasks, clock: clock)
    }
    try await context.inTasks { participant, random in
      let scene = scenes[participant - 1]
      let expiresEarly = Bool.random(using: &random)
      let amount = Int.random(in: 1...200, using: &random)
      let rows = Int.random(in: 1...40, using: &random)
      await withCheckedContinuation { done in
        scene.didEnterBackground(save: { Self.save(amount) }, expiresEarly: expiresEarly) { _ in done.resume() }
      }
      let hidden = await onMain { scene.layout.geometry.height }
      try BrokenPromise.unless(hidden == 0, "a scene in the background has the height \(hidden), not 0")
      await withCheckedContinuation { done in scene.willEnterForeground(rows: rows) { done.resume() } }
      let shown = await onMain { scene.layout.geometry }
      try BrokenPromise.unless(shown.rows == rows && !shown.isCollapsed, "a scene shows \(shown) and not \(rows) rows")
    }
    try BrokenPromise.unless(tasks.running == 0, "\(tasks.running) background tasks have not ended")
  }

  private func collapseAtOnce(_ context: WorkloadContext) async throws {
    let clock = DispatchQueue(label: "system.clock")
    try await context.inTasks { participant, random in
      let scene = Scene("scene\(participant)", layout: ScreenLayout(rows: 12), tasks: BackgroundTasks(), clock: clock)
      let rows = Int.random(in: 1...40, using: &random)
      await withCheckedContinuation { done in scene.didEnterBackgroundAndCollapseAtOnce { done.resume() } }
      await withCheckedContinuation { done in scene.willEnterForeground(rows: rows) { done.resume() } }
    }
  }

  private func count(_ context: WorkloadContext) async {
    let tasks = CountedTasks()
    await context.onThreads("scene") { _, random in
      tasks.begin()
      Self.save(Int.random(in: 1...20, using: &random))
      tasks.end()
    }
  }

  /// Encodes so many rows.
  private static func save(_ rows: Int) {
    var checksum: UInt64 = 14_695_981_039_346_656_037
    for row in 0..<rows { checksum = (checksum ^ UInt64(row)) &* 1_099_511_628_211 }
    withExtendedLifetime(checksum) {}
  }
}
