import CrashKit
import CrashKitService
import Dispatch
import Glibc
import Logging
import ServiceLifecycle
import ThreadGuard

/// A server that carries out its steps, and prints what happened: `service-probe HAND-OVER STEP…`.
@main struct ServiceProbe {
  static let journal = Journal()
  static let queue = DispatchQueue(label: "probe.queue")

  static func main() async throws {
    let words = Array(CommandLine.arguments.dropFirst())
    let handOver = HandOver(rawValue: words[0])!
    var configuration = CrashKit.Configuration()
    if words.contains("previous crash") { configuration.onPreviousCrash = { _ in comeFirst() } }
    let crashKit = try CrashKitService(
      configuration, metrics: JournalMetrics(), lookingEvery: .milliseconds(10),
      waitingAtMost: handOver == .endsWhenCancelled ? .seconds(86400) : .seconds(1), handOver: handOver.body,
      detectors: {
        // Without "hang" none is wanted, however slow the machine is.
        let threshold = words.contains("hang") ? Duration.milliseconds(50) : .seconds(600)
        let detectors = [
          CrashKit.HangDetector.start(threshold: threshold, queue: queue),
          CrashKit.HangDetector.start(threshold: .seconds(600), actor: Watched()),
        ]
        journal.add("detectors start")
        return detectors
      })
    let script = ServiceGroupConfiguration.ServiceConfiguration(
      service: Script(steps: Array(words.dropFirst())), successTerminationBehavior: .gracefullyShutdownGroup)
    let group = ServiceGroupConfiguration(
      services: [.init(service: crashKit), .init(service: Other(hangs: words.contains("hang"))), script],
      logger: Logger(label: "probe"))
    do { try await ServiceGroup(configuration: group).run() } catch { journal.add("group failed") }
    journal.add("group ended")
    await journal.wait(for: "detectors stopped")
    for line in journal.lines { print(line) }
  }

  /// Lasts until the program has broken a rule.
  private static func comeFirst() {
    let isBroken = DispatchSemaphore(value: 0)
    Task {
      await journal.wait(for: "crashkit.violations mainQueueViolation")
      isBroken.signal()
    }
    isBroken.wait()
    journal.add("previous crash")
  }
}

/// What becomes of a report that is handed over.
enum HandOver: String {
  case isNone, succeeds, fails, removes, hangs, endsWhenCancelled

  var body: (@Sendable (CrashKit.StoredReport) async throws -> Void)? {
    if self == .isNone { return nil }
    return { report in
      ServiceProbe.journal.add("handed over \(report.kind)")
      switch self {
      case .isNone, .succeeds: break
      case .fails: throw CancellationError()
      case .removes: try report.remove()
      case .hangs: await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
      case .endsWhenCancelled:
        try? await Task.sleep(for: .seconds(86400))
        // Long enough to be late if nothing waits for it.
        for _ in 0..<100_000 { await Task.yield() }
        ServiceProbe.journal.add("hand-over ended")
      }
    }
  }
}

/// An actor that ends when its detector does.
actor Watched {
  deinit { ServiceProbe.journal.add("detectors stopped") }
}

/// Takes its steps, and then shuts the group down. A step that is no word of its own is a line to wait for.
struct Script: Service {
  let steps: [String]

  func run() async throws {
    for step in steps {
      switch step {
      case "crash": fatalError("a step")
      case "kill": kill(getpid(), SIGKILL)
      case "throw": throw CancellationError()
      case "violate": breakRule()
      case "hang": break
      default: await ServiceProbe.journal.wait(for: step)
      }
    }
  }

  private func breakRule() { ThreadGuard.assertOn(ServiceProbe.queue) }
}

/// A service whose shutdown may hang, until that is counted.
struct Other: Service {
  let hangs: Bool

  func run() async throws {
    try await gracefulShutdown()
    ServiceProbe.journal.add("other service stops")
    guard hangs else { return }
    // A slow machine may have had one.
    let before = ServiceProbe.journal.lines.count { $0 == "crashkit.hangs hang" }
    let isCounted = DispatchSemaphore(value: 0)
    ServiceProbe.queue.async { isCounted.wait() }
    await ServiceProbe.journal.wait(for: "crashkit.hangs hang", times: before + 1)
    isCounted.signal()
  }
}
