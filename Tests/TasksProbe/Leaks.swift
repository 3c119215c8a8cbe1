// Continuations that are dropped.

import Foundation

@inline(never) private func profile() async {
  await withCheckedContinuation { (_: CheckedContinuation<Void, Never>) in }
}

@inline(never) private func order() async throws {
  try await withCheckedThrowingContinuation { (_: CheckedContinuation<Void, any Error>) in }
}

/// Returns when the tasks wait for ever.
func leakContinuations() {
  Task.detached(name: "first") { await profile() }
  usleep(500_000)
  Task.detached(name: "second") { await profile() }
  Task.detached(name: "third") { try await order() }
  usleep(1_000_000)
}
