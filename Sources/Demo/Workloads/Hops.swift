import Dispatch

/// Runs `body` on the main queue and hands back what it returns.
func onMain<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
  await on(.main, body)
}

/// Runs `body` on a queue and hands back what it returns.
func on<Result: Sendable>(_ queue: DispatchQueue, _ body: @escaping @Sendable () -> Result) async -> Result {
  await withCheckedContinuation { done in queue.async { done.resume(returning: body()) } }
}
