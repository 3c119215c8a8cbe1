import CrashReportModel
import CrashReportReading
import Foundation
import Testing

#if DEBUG
  private let checksAreOn = true
#else
  private let checksAreOn = false
#endif

/// Runs `guarded-locks-probe`, a debug build of Swift that links ThreadGuard, and looks at what it says.
@Suite(.enabled(if: checksAreOn)) final class GuardedLockTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var scenario: String
    var says: [String]
    var options = ""
    var testDescription: String { scenario }
  }

  static let inversion = ["lockOrderInversion: two locks are taken in both orders", "1 violation "]
  static let acrossAwait = ["lockMisuse: a task holds a lock while its thread does other work", "1 violation "]

  static let cases = [
    Case(scenario: "inversion", says: inversion),
    Case(scenario: "same-order", says: []),
    Case(scenario: "against-nslock", says: inversion),
    Case(
      scenario: "same-class", says: ["two locks of the class \"first\" are taken one within the other", "1 violation "]),
    Case(scenario: "classes", says: inversion),
    Case(scenario: "unlocked-elsewhere", says: ["lockMisuse: a mutex is unlocked by a thread", "1 violation "]),
    Case(scenario: "try", says: []),
    Case(scenario: "throws", says: []),
    Case(scenario: "readers", says: []),
    Case(scenario: "writer", says: inversion),
    Case(scenario: "guarded-sync", says: inversion),
    Case(scenario: "across-await", says: acrossAwait),
    Case(scenario: "task-ends", says: acrossAwait),
    Case(scenario: "many-tasks", says: []),
    Case(
      scenario: "held-long", says: ["a lock is held for longer than 500 ms", "1 violation "], options: "hold-limit=500"),
    Case(
      scenario: "waits-long", says: ["a thread waits for a lock for longer than 100 ms", "1 violation "],
      options: "wait-limit=100"),
    Case(
      scenario: "queue-waits-long", says: ["a thread waits for a lock for longer than 100 ms", "1 violation "],
      options: "wait-limit=100"),
  ]

  private let folder = FileManager.default.temporaryDirectory.appending(path: "guarded-locks-\(UUID().uuidString)")

  init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false) }
  deinit { try? FileManager.default.removeItem(at: folder) }

  private func run(_ scenario: String, runner: [String] = [], options: String = "") throws -> LockProbe {
    try LockProbe(
      scenario, program: "guarded-locks-probe", runner: runner,
      environment: [
        "CRASHKIT_DIRECTORY": folder.path(), "THREADGUARD_OPTIONS": options, "SWIFT_BACKTRACE": "enable=no",
      ])
  }

  @Test(arguments: cases)
  func `each rule is reported only when it is broken`(_ test: Case) throws {
    let probe = try run(test.scenario, options: test.options)
    #expect(probe.waitForExit() == 0)
    let text = probe.standardError
    for words in test.says { #expect(text.contains(words), "\(text)") }
    if test.says.isEmpty { #expect(text.isEmpty, "\(text)") }
  }

  @Test func `a lock that is taken twice is reported while the program hangs`() throws {
    let probe = try run("twice")
    try probe.wait(for: "deadlock: a thread waits for a lock that it holds itself")
    probe.kill()
  }

  @Test func `a deadlock of a lock and a Mutex of Synchronization is reported while the program hangs`() throws {
    let probe = try run("deadlock-with-mutex")
    try probe.wait(for: "deadlock: 2 threads wait for each other's locks")
    probe.kill()
  }

  /// `sync` returns values by way of functions that keep no frame pointer.
  @Test func `a deadlock of queues shows who waits for them`() throws {
    let probe = try run("deadlock-of-queues")
    try probe.wait(for: "deadlock.json")
    probe.kill()
    let name = try #require(
      try FileManager.default.contentsOfDirectory(atPath: folder.path()).first { $0.hasSuffix("deadlock.json") })
    let text = try ProgramRun("crashsym", [folder.appending(path: name).path()]).output
    let waits = text.components(separatedBy: "waits for B here:") + text.components(separatedBy: "waits for A here:")
    #expect(waits.count == 4, "\(text)")
    for stack in [waits[1], waits[3]] {
      #expect(stack.components(separatedBy: "took ")[0].firstMatch(of: /answer\(from:_:_:then:\)/) != nil, "\(text)")
    }
  }

  /// Runs to its death, and returns the path of the only crash report.
  private func crash(_ scenario: String, _ runner: [String] = []) throws -> String {
    let probe = try run(scenario, runner: runner.isEmpty ? [] : runner + [folder.path(), "--"])
    #expect(probe.waitForExit() == -1)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path()).filter {
      $0.hasSuffix("crashReport.json")
    }
    try #require(names.count == 1, "\(probe.standardError)")
    return folder.appending(path: names[0]).path()
  }

  /// With both libraries in the program, with both in it and preloaded besides, and with a preloaded CrashKit alone that
  /// the program's ThreadGuard finds.
  @Test(arguments: [
    ("crash", [String]()), ("crash-unlinked", ["crashsym", "run", "--thread-guard", "--quiet", "--output"]),
    ("crash-unlinked", ["crashsym", "run", "--quiet", "--output"]),
  ])
  func `a crash report has the locks of each thread`(_ scenario: String, _ runner: [String]) throws {
    let report = try #require(try ReportReader.read(crash(scenario, runner)).first)
    let threads = try #require(report.threads)
    let crashed = try #require(threads.first { $0.crashed == true })
    #expect(crashed.heldLocks?.map(\.name) == [nil, "first"])
    #expect(crashed.heldLocks?.map(\.type) == ["mutex", "mutex"])
    #expect(crashed.heldLocks?.allSatisfy { $0.takenAt?.first?.kind == .returnAddress } == true)
    // Threads of our own may wait too, for locks without a name.
    let waiter = try #require(threads.first { $0.waitingFor?.name == "first" })
    #expect(waiter.heldLocks?.map(\.name) == ["balance"])
    #expect(waiter.waitingFor?.address == crashed.heldLocks?.last?.address)
    #expect(waiter.waitingFor?.waitsAt?.isEmpty == false)
  }

  @Test func `the text of a crash report has them, and a scrubbed copy keeps their names`() throws {
    let path = try crash("crash")
    for options in [[], ["--scrub"]] {
      let text = try ProgramRun("crashsym", options + [path]).output
      let held = /holds mutex "first" at 0x[0-9a-f]+, taken in runWithoutTasks\(_:\), .*main\.swift:\d+/
      #expect(text.firstMatch(of: held) != nil, "\(text)")
      #expect(text.firstMatch(of: /holds mutex "balance" at 0x[0-9a-f]+, taken in .*main\.swift:\d+/) != nil, "\(text)")
      #expect(
        text.firstMatch(of: /waits for mutex "first" at 0x[0-9a-f]+, asked for in .*\.swift:\d+/) != nil, "\(text)")
      #expect(text.contains("{ sched_yield() }") == options.isEmpty, "source lines stay at home: \(text)")
    }
  }
}
