import ArgumentParser
import CDiagdemoCrashes
import CrashKit
import CrashReportModel
import Dispatch
import Glibc

/// `diagdemo crash KIND`: dies in the way that KIND names.
struct CrashCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "crash",
    abstract: "Die in a way that you choose.",
    discussion: """
      The report goes to CRASHKIT_DIRECTORY. The exit status shows how the process died. If a kind is impossible on \
      this machine, the status is 1.
      """)

  @Argument(
    help: """
      A kind from --list. thread-KIND does the same on a separate thread, exhaustfd-KIND with all descriptors used \
      up, and exhaustfd-thread-KIND both.
      """)
  var kind: String?

  @Flag(help: "List the kinds and end.")
  var list = false

  @Flag(
    help:
      "Do not crash. Print the reports of earlier runs, and end. The command waits up to ten seconds for a first report. If none comes, the status is 1."
  )
  var previous = false

  @Flag(help: "Die without CrashKit, for comparison.")
  var withoutCrashKit = false

  func validate() throws {
    guard !list, !previous else { return }
    guard let kind else { throw ValidationError("Name a kind of crash; --list shows them.") }
    guard CrashKind(named: kind) != nil else {
      throw ValidationError("There is no kind of crash '\(kind.harmless)'; --list shows them.")
    }
  }

  func run() throws {
    guard !previous else { return try tellOfPrevious() }
    guard !list, let name = kind, let kind = CrashKind(named: name) else { return printList() }
    kind.preparation?()
    let threads = crash_thread_count()  // CrashKit's own, which looks after earlier runs, soon ends
    if !withoutCrashKit {
      try CrashKit.install(.init(application: .init(name: "diagdemo")))
      CrashKit.setAttribute("kind", name)
      CrashKit.setAttribute("threads", String(threads))
      CrashKit.record("about to crash", category: "diagdemo", attributes: ["kind": name])
      // The end of a detached thread cannot be awaited, only seen.
      while kind.awaitsLaunchWork && crash_thread_count() > threads { sched_yield() }
    }
    kind()
    printToStandardError("diagdemo: \(name): the program did not die\n")
    throw ExitCode(1)
  }

  /// Reports of processes that were killed are made beside the launch, so they are waited for.
  private func tellOfPrevious() throws {
    let told = DispatchSemaphore(value: 0)
    try CrashKit.install(
      .init(
        application: .init(name: "diagdemo"),
        onPreviousCrash: { report in
          print("\(report.kind): \(report.cause ?? "cause unknown")".harmless)
          told.signal()
        }))
    guard told.wait(timeout: .now() + .seconds(10)) == .success else { throw ExitCode(1) }
  }

  private func printList() {
    let width = CrashKind.catalogue.map(\.name.count).max() ?? 0
    for kind in CrashKind.catalogue {
      print(kind.name + String(repeating: " ", count: width - kind.name.count + 2) + kind.summary)
    }
  }
}
