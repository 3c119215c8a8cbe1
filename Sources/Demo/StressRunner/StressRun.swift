import Foundation
import Synchronization
import Workloads

/// Runs variants, several at once, each in its own process, and judges them.
public struct StressRun: Sendable {
  public enum Verdict: Sendable, Hashable { case passed, failed, cutShort }

  /// A variant's run and its judgement.
  public struct Outcome: Sendable {
    public let record: VariantRecord
    public let judgement: Judgement

    public init(_ record: VariantRecord) {
      self.record = record
      judgement = Judgement(record)
    }

    /// The verdict. A run that was cut short neither passed nor failed.
    public var verdict: Verdict {
      record.end == .interrupted ? .cutShort : judgement.passed ? .passed : .failed
    }
  }

  public let settings: StressSettings
  public let cases: [StressCase]
  private let runner: VariantRunner

  public init(_ settings: StressSettings, cases: [StressCase], folder: RunFolder, interruption: Interruption) {
    self.settings = settings
    self.cases = cases
    runner = VariantRunner(settings: settings, folder: folder, interruption: interruption, evidence: EvidenceReader())
  }

  /// Checks whether a run can find mistakes here. Call it before you write files.
  ///
  /// - Throws: `StressFailure` with status 69 if this build has no ThreadGuard, or if the process may not have enough
  ///   descriptors for a run.
  public static func checkMeans() throws(StressFailure) {
    #if !THREADGUARD
      throw .unavailable(
        "ThreadGuard is not in this build: use a debug build, or "
          + "swift build -c release --traits default,ThreadGuardInRelease")
    #else
      try Descriptors.check()
    #endif
  }

  /// Runs all cases. If the user ends the run early, the function starts no further case.
  ///
  /// `began` and `ended` are called from several threads, but never at the same time.
  ///
  /// - Returns: the outcomes of the cases that ran, in the order of the cases.
  public func run(
    began: @escaping @Sendable (StressCase) -> Void, ended: @escaping @Sendable (Outcome) -> Void
  ) -> [Outcome] {
    let progress = Progress()
    let all = DispatchGroup()
    // Threads of its own: Dispatch makes no more than there are processors.
    for _ in 0..<min(settings.jobs, cases.count, Descriptors.jobs(allowed: Descriptors.limit)) {
      all.enter()
      Thread {
        while let taken = next(progress, began) {
          let outcome = Outcome(runner.run(cases[taken]))
          progress.withLock { progress in
            progress.outcomes[taken] = outcome
            ended(outcome)
          }
        }
        all.leave()
      }.start()
    }
    all.wait()
    return progress.withLock { progress in cases.indices.compactMap { progress.outcomes[$0] } }
  }

  /// What has been taken, and what came of it.
  private final class Progress: Sendable {
    private let state = Mutex((next: 0, outcomes: [Int: Outcome]()))

    func withLock<Result: Sendable>(_ body: (inout (next: Int, outcomes: [Int: Outcome])) -> Result) -> Result {
      state.withLock { body(&$0) }
    }
  }

  private func next(_ progress: Progress, _ began: @Sendable (StressCase) -> Void) -> Int? {
    guard runner.interruption.signal == nil else { return nil }
    return progress.withLock { progress in
      guard progress.next < cases.count else { return nil }
      defer { progress.next += 1 }
      began(cases[progress.next])
      return progress.next
    }
  }
}
