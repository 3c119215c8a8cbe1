extension WorkloadContext {
  /// Lets participants take steps until the deadline, each on a thread of its own with the given name and a number. There
  /// are two of them at least, and each takes at least one step.
  func onThreads(
    _ name: String, step: @escaping @Sendable (_ participant: Int, _ random: inout SeededGenerator) -> Void
  ) async {
    await withTaskGroup { group in
      for participant in 1...max(2, threads) {
        group.addTask {
          await onThread("\(name) \(participant)") {
            var random = random(for: participant)
            repeat { step(participant, &random) } while !isOver
          }
        }
      }
    }
  }

  /// Lets participants take steps until the deadline, each in a task of its own. There are `least` of them at least, and
  /// each takes at least one step.
  func inTasks(
    atLeast least: Int = 1,
    step: @escaping @Sendable (_ participant: Int, _ random: inout SeededGenerator) async throws -> Void
  ) async throws {
    try await withThrowingTaskGroup { group in
      for participant in 1...max(least, threads) {
        group.addTask {
          var random = random(for: participant)
          repeat { try await step(participant, &random) } while !isOver
        }
      }
      try await group.waitForAll()
    }
  }
}

/// What a workload found wrong with its own state at the end.
struct BrokenPromise: Error, CustomStringConvertible {
  let description: String

  /// Throws unless `condition` holds.
  static func unless(_ condition: Bool, _ description: @autoclosure () -> String) throws {
    if !condition { throw BrokenPromise(description: description()) }
  }
}
