import CDiagdemoCrashes
import CrashKit
import LinuxCalls

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

extension CrashKind {
  /// The folder for reports, for kinds that do something to it.
  static var reportFolder: String { environment("CRASHKIT_DIRECTORY") ?? "." }

  /// Deaths that no signal handler hears of. Each leaves metrics and a last breadcrumb for the next launch to find.
  static let unhandled: [CrashKind] =
    [
      CrashKind("exit-at-once", "call _exit while the program runs") {
        leaveTraces()
        end_at_once()
      },
      CrashKind("exit-by-system-call", "call exit_group directly, without libc") {
        leaveTraces()
        end_by_system_call()
      },
      CrashKind("memory-used-up", "allocate memory until the kernel kills the process; set a memory limit first") {
        leaveTraces()
        use_up_memory()
      },
      CrashKind("killed", "be killed by another process") {
        leaveTraces()
        hang_until_killed()
      },
    ]
    + defaultActions.map { name, number in
      CrashKind("default-\(name)", "send \(name), whose default action ends the program, to its own process") {
        leaveTraces()
        raise(number)
      }
    }

  private static let defaultActions: [(String, Int32)] = [
    ("SIGHUP", SIGHUP), ("SIGINT", SIGINT), ("SIGQUIT", SIGQUIT), ("SIGKILL", SIGKILL), ("SIGUSR1", SIGUSR1),
    ("SIGPIPE", SIGPIPE), ("SIGALRM", SIGALRM), ("SIGTERM", SIGTERM), ("SIGXCPU", SIGXCPU),
  ]

  private static func leaveTraces() {
    CrashKit.registerMetric("demo.load", unit: "ratio").update(0.75, state: .nominal, threshold: 0.9)
    CrashKit.registerMetric("demo.queue", unit: "items").update(1234, state: .critical, threshold: 1000)
    CrashKit.record("about to end without a report", category: "diagdemo")
  }
}
