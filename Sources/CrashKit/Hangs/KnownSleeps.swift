/// The addresses at which sleeping tasks continue.
///
/// The runtime does not report that a task sleeps: it reports a wait for a continuation. So CrashKit starts one task
/// that sleeps for each kind of sleep, and reads the address at which it will continue.
struct KnownSleeps {
  private static let prefix = "crashkit.sleep."
  private static let time: UInt64 = 1_000_000_000 * 3600

  private var tasks: [Task<Void, Never>] = []
  private var addresses: Set<UInt> = []
  private var missing: Set<String> = []

  /// Whether the addresses of all kinds of sleep are known.
  var areKnown: Bool { missing.isEmpty && !addresses.isEmpty }

  /// Starts the tasks, which end as soon as `learn` has seen all of them.
  mutating func start() {
    let ways: [@Sendable () async -> Void] = [
      { try? await Task.sleep(nanoseconds: Self.time) },
      { try? await Task.sleep(for: .nanoseconds(Int64(Self.time))) },
      { try? await Task.sleep(for: .nanoseconds(Int64(Self.time)), clock: .suspending) },
      { try? await ContinuousClock().sleep(until: .now + .nanoseconds(Int64(Self.time))) },
    ]
    for (number, sleep) in ways.enumerated() {
      let name = Self.prefix + String(number)
      missing.insert(name)
      #if compiler(>=6.2)
        tasks.append(Task.detached(name: name) { await sleep() })
      #else
        // These tasks have no names. They are never needed: CrashKit does not know the tasks of such a runtime.
        tasks.append(Task.detached { await sleep() })
      #endif
    }
  }

  /// Whether this is the name of one of these tasks.
  func isOwn(_ name: String?) -> Bool { name?.hasPrefix(Self.prefix) == true }

  /// Stores the address at which one of these tasks will continue, if the task already sleeps.
  mutating func learn(_ name: String, _ task: CrashKit.LiveTask) {
    guard task.state == .suspended, task.awaits == .continuation, let first = task.resumeAddresses.first else { return }
    addresses.insert(first)
    missing.remove(name)
    if missing.isEmpty { end() }
  }

  /// Ends the tasks.
  mutating func end() {
    for task in tasks { task.cancel() }
    tasks = []
  }

  /// Whether a task sleeps.
  func isSleeping(_ task: CrashKit.LiveTask) -> Bool {
    task.awaits == .continuation && task.resumeAddresses.first.map(addresses.contains) == true
  }
}
