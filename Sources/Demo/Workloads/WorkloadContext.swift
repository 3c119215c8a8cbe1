/// The inputs of a workload's run: everything that could differ between two runs.
public struct WorkloadContext: Sendable {
  /// The seed of the random numbers. With the same seed, each queue and each task does the same steps in the same
  /// order.
  public let seed: UInt64

  /// How many threads, queues or tasks work at once: 1 or more.
  public let threads: Int

  /// When a repeating workload must stop.
  public let deadline: ContinuousClock.Instant

  /// The run's own folder, for files such as an offline store.
  public let folder: String

  public init(seed: UInt64, threads: Int, deadline: ContinuousClock.Instant, folder: String) {
    self.seed = seed
    self.threads = threads
    self.deadline = deadline
    self.folder = folder
  }

  public var isOver: Bool { ContinuousClock.now >= deadline }

  /// Returns a generator of random numbers for one participant, which is a thread, a queue or a task. `participant` is
  /// the index of this participant. Each index gives another sequence.
  public func random(for participant: Int) -> SeededGenerator {
    SeededGenerator(seed: seed &+ UInt64(participant) &* 0x9E37_79B9_7F4A_7C15)
  }
}
