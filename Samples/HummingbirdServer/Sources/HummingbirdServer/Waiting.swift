import Hummingbird
import Synchronization

/// Routes that never answer, each waiting in another way: what a server looks like that hangs.
func addWaitingRoutes(to router: Router<BasicRequestContext>) {
  router.get("waiting") { _, _ in "\(begun.load(ordering: .acquiring))" }

  router.get("wait/continuation") { _, _ in
    begin()
    await withCheckedContinuation { continuation in forgotten.withLock { $0.append(continuation) } }
    return "never"
  }

  router.get("wait/sleep") { _, _ in
    begin()
    try await Task.sleep(for: .seconds(100_000))
    return "never"
  }

  router.get("wait/stream") { _, _ in
    begin()
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    for await number in stream { return "\(number)" }
    continuation.finish()
    return "never"
  }

  router.get("wait/task") { _, _ in
    begin()
    await stuck.value
    return "never"
  }

  router.get("wait/let") { _, _ in
    begin()
    async let answer = neverAnswers()
    return await answer
  }
}

/// How many requests have come to where they wait.
private let begun = Atomic<Int>(0)
private func begin() { begun.add(1, ordering: .releasing) }

/// The program never resumes these continuations.
private let forgotten = Mutex<[CheckedContinuation<Void, Never>]>([])

/// A task that all wait for.
private let stuck = Task.detached(name: "stuck") {
  await withCheckedContinuation { continuation in forgotten.withLock { $0.append(continuation) } }
}

private func neverAnswers() async -> String {
  await withCheckedContinuation { continuation in forgotten.withLock { $0.append(continuation) } }
  return "never"
}
