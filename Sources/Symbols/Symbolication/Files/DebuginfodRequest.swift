import Dispatch
import Glibc
import LinuxCalls
import Synchronization

/// One file asked of the servers, on a thread of its own: what libdebuginfod and curl wait for (a name server, say) cannot
/// always be ended, so the caller waits for a bounded time and leaves the thread behind.
final class DebuginfodRequest: Sendable {
  enum Outcome: Sendable {
    /// The file in libdebuginfod's cache.
    case file(String)
    /// The negated `errno` from libdebuginfod.
    case failed(Int32)
    case ranOutOfTime
    case tooLarge
  }

  private struct State {
    var outcome: Outcome?
    var calls = 0
    var hasBegunToArrive = false
    var isGivenUp = false
    var isTooLarge = false
  }

  private let state = Mutex(State())
  private let over = DispatchSemaphore(value: 0)
  private let start = ContinuousClock.now
  private let options: DebuginfodOptions
  private let library: DebuginfodLibrary
  private let report: @Sendable (_ received: Int?, _ total: Int?) -> Void

  init(
    _ library: DebuginfodLibrary, _ options: DebuginfodOptions,
    _ report: @escaping @Sendable (_ received: Int?, _ total: Int?) -> Void
  ) {
    self.library = library
    self.options = options
    self.report = report
  }

  /// The longest time from a request's cancellation to its end.
  private static let grace = Duration.milliseconds(1_500)

  /// Sends the request, and waits up to the time in the options.
  func run(_ kind: Debuginfod.Kind, _ buildID: [UInt8]) -> Outcome {
    let queue = DispatchQueue(label: "crashsym.debuginfod")
    queue.async { self.ask(kind, buildID) }
    while true {
      if over.wait(timeout: .now() + .milliseconds(100)) == .success { break }
      guard !isLate(by: Self.grace) else { break }
    }
    return state.withLock { state in
      state.isGivenUp = true
      return state.outcome ?? .ranOutOfTime
    }
  }

  private func ask(_ kind: Debuginfod.Kind, _ buildID: [UInt8]) {
    var outcome = Outcome.failed(-ENOMEM)
    if let client = library.begin() {
      library.setUserData(client, Unmanaged.passUnretained(self).toOpaque())
      library.setProgress(client) { client, done, total in
        guard let data = DebuginfodLibrary.shared?.userData(client) else { return 1 }
        return Unmanaged<DebuginfodRequest>.fromOpaque(data).takeUnretainedValue().goesOn(done, total) ? 0 : 1
      }
      var path: UnsafeMutablePointer<CChar>?
      let find = kind == .debuginfo ? library.findDebugInfo : library.findExecutable
      let result = find(client, buildID, Int32(buildID.count), &path)
      if result >= 0 {
        close(result)
        outcome = path.map { .file(String(cString: $0)) } ?? .failed(-EIO)
      } else {
        let isTooLarge = state.withLock { $0.isTooLarge }
        outcome = isTooLarge ? .tooLarge : isLate() ? .ranOutOfTime : .failed(result)
        // libdebuginfod notes a request that was ended as a file that is missing.
        if case .ranOutOfTime = outcome { DebuginfodCache.forgetMiss(kind, buildID) }
      }
      free(path)
      library.end(client)
    }
    state.withLock { $0.outcome = outcome }
    over.signal()
  }

  /// Called by libdebuginfod. Until a server has begun to send, `done` counts the calls.
  private func goesOn(_ done: Int, _ total: Int) -> Bool {
    let (hasBegun, isGivenUp) = state.withLock { state in
      state.calls += 1
      if total > 0 || done != state.calls { state.hasBegunToArrive = true }
      return (state.hasBegunToArrive, state.isGivenUp)
    }
    guard !isGivenUp, !isLate() else { return false }
    guard max(done, total) <= Limits.downloadedBytes else {
      state.withLock { $0.isTooLarge = true }
      return false
    }
    report(hasBegun ? done : nil, total > 0 ? total : nil)
    return true
  }

  private func isLate(by grace: Duration = .zero) -> Bool {
    let limit = state.withLock { $0.hasBegunToArrive } ? options.timeLimit : options.answerLimit
    return ContinuousClock.now - start >= limit + grace
  }
}
