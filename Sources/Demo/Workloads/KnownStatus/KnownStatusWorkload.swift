import Dispatch
import FoundationEssentials
import Synchronization

/// A prompt that asks the user to update an old status. Many threads send events to the prompt at the same time.
public struct KnownStatusWorkload: Workload {
  public static let name = "kys"
  public static let summary = "A prompt that asks for a new status: many threads send events to its state machine"

  public static let variants = [
    Variant("correct", "Events are handled one after the other, and events that do not fit the state are refused"),
    Variant(
      "unsynchronised-transition", "The state machine is used on several threads without a lock",
      planted: [Plant("dataRace", at: [UnsynchronisedPrompt.changes])]),
    Variant(
      "prompt-off-main", "The prompt is presented on the queue that checked the status's age",
      planted: [Plant("mainQueueViolation", at: [PromptScreen.presentsWhereItChecked])]),
    Variant(
      "save-holds-lock", "The task that saves the status holds a lock while it is suspended",
      planted: [Plant("lockMisuse", at: [LockedSaver.locks])]),
  ]

  public init() {}

  public func run(_ variant: Variant, in context: WorkloadContext) async throws {
    switch variant.name {
    case "unsynchronised-transition": await changeAtOnce(context)
    case "prompt-off-main": try await presentOffMain(context)
    case "save-holds-lock": try await saveUnderLock(context)
    default: try await runCorrectly(context)
    }
  }

  /// Months go by while participants check, answer and cancel as they please.
  private func runCorrectly(_ context: WorkloadContext) async throws {
    let store = StatusStore(path: context.folder + "/status.json", failsEvery: 5)
    let months = Atomic(0)
    let prompt = StatusPrompt(store: store, screen: PromptScreen(), months: 6) {
      Self.time(months.load(ordering: .relaxed))
    }
    try await context.inTasks { participant, random in
      switch Int.random(in: 0..<5, using: &random) {
      case 0: await prompt.check()
      case 1: await prompt.answer("well, says \(participant)")
      case 2: await prompt.answer(nil)
      case 3: await prompt.cancel()
      default: months.add(Int.random(in: 1...4, using: &random), ordering: .relaxed)
      }
    }
    await prompt.cancel()
    let isShown = await onMain { prompt.screen.isShown }
    switch prompt.state {
    case .idle, .final: try BrokenPromise.unless(!isShown, "a prompt is left on the screen")
    default: throw BrokenPromise(description: "the prompt is stuck in \(prompt.state)")
    }
  }

  private func changeAtOnce(_ context: WorkloadContext) async {
    let prompt = UnsynchronisedPrompt()
    await context.onThreads("event") { _, random in
      _ = prompt.handle(PromptMachine.Event.allCases.randomElement(using: &random)!)
    }
  }

  private func presentOffMain(_ context: WorkloadContext) async throws {
    let screen = PromptScreen()
    let checking = DispatchQueue(label: "status.checking")
    let status = KnownStatus(text: "well", updated: Self.time(0))
    try await context.inTasks { _, random in
      let now = Self.time(Int.random(in: 0...24, using: &random))
      await withCheckedContinuation { done in
        screen.presentWhenOutdated(status, at: now, queue: checking) { done.resume() }
      }
    }
  }

  /// One task saves, for one account after the other. The other tasks load meanwhile, and so use the threads that the
  /// saving task leaves.
  private func saveUnderLock(_ context: WorkloadContext) async throws {
    let store = StatusStore(path: context.folder + "/status.json")
    let savers = (1...8).map { _ in LockedSaver(store: store) }
    try await context.inTasks(atLeast: 2) { participant, random in
      guard participant == 1 else {
        _ = store.load()
        return await Task.yield()
      }
      let pause = Duration.milliseconds(Int.random(in: 5...20, using: &random))
      let saver = savers.randomElement(using: &random)!
      try await saver.save(KnownStatus(text: "well", updated: Self.time(0)), pausing: pause)
    }
  }

  /// So many months after the beginning of 2026.
  private static func time(_ months: Int) -> Date {
    let start = Date(timeIntervalSince1970: 1_767_225_600)
    return Calendar.utc.date(byAdding: .month, value: months, to: start) ?? start
  }
}
