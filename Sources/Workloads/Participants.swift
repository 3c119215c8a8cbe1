import Dispatch

extension WorkloadContext {
  /// Lets every participant take steps on a queue of its own until the deadline, and at least one.
  func onQueues(
    _ label: String, step: @escaping @Sendable (_ participant: Int, _ random: inout SeededGenerator) -> Void
  ) async {
    let group = DispatchGroup()
    for participant in 1...threads {
      DispatchQueue(label: "\(label).\(participant)").async(group: group) {
        var random = random(for: participant)
        repeat { step(participant, &random) } while !isOver
      }
    }
    await withCheckedContinuation { done in group.notify(queue: .global()) { done.resume() } }
  }

  /// Lets every participant take steps in a task of its own until the deadline, and at least one.
  func inTasks(
    step: @escaping @Sendable (_ participant: Int, _ random: inout SeededGenerator) async throws -> Void
  ) async throws {
    try await withThrowingTaskGroup { group in
      for participant in 1...threads {
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
