import Foundation
import TestEnvironment
import Testing

/// Crashes where something works against the report.
@Suite(.serialized) struct HostileTests {
  private static let full = tests_are_full()
  private static let stages: [String] =
    (try? HandlerProbe("stage-names").output.split(separator: "\n").map(String.init)) ?? []

  /// Without names, or with other ones, the tests below would have nothing to do.
  @Test func stagesAreKnown() {
    #expect(Self.stages.count > 15)
    #expect(Set(Self.stages).isSuperset(of: Self.usuallyStalled))
  }

  /// A second crash in each stage of the report, the first or the last included.
  @Test(arguments: Array(stages.enumerated()).map { ($0.offset, $0.element) })
  func aFaultInAStageLosesOnlyThatStage(_ index: Int, _ name: String) throws {
    for way in ["fault-in-stage", "abort-in-stage"] {
      let run = try HandlerProbe(way, environment: ["PROBE_STAGE": "\(index)"])
      #expect(run.end == .killed(signal: SIGSEGV))
      let report = try run.report()
      #expect(!report.threads.isEmpty)
      // What comes after the list is written cannot be on it.
      guard index < Self.stages.count - Self.afterTheList else { continue }
      #expect(report.capture.cutShort == [.init(what: name, reason: "a fault while it was made")])
    }
  }

  /// Another process sends all seven signals, again and again. None of them is a fault of the report.
  @Test func signalsOfAnotherProcessLoseNoStage() throws {
    let run = try HandlerProbe("sent-in-each-stage")
    #expect(run.end == .killed(signal: SIGSEGV))
    let report = try run.report()
    #expect(report.causeCode == "nullDereference")
    #expect(report.capture.cutShort == [])
    #expect(report.threads.count == 201)
    #expect(report.threads.allSatisfy { !$0.frames.isEmpty })
  }

  /// The end of the output, the journal, numbered lines, the line of JSON, and the summary.
  private static let afterTheList = 5

  private static let usuallyStalled: Set = ["other threads", "threads", "output"]

  /// Stalls take two seconds each: a few, or with the full set all.
  private static let stalled = Array(stages.enumerated()).map { ($0.offset, $0.element) }
    .filter { full || usuallyStalled.contains($0.1) }

  @Test(arguments: stalled) func aStallInAStageEndsInTime(_ index: Int, _ name: String) throws {
    let run = try HandlerProbe("stall-in-stage", environment: ["PROBE_STAGE": "\(index)"])
    #expect(run.end == .killed(signal: SIGSEGV))
    #expect(run.seconds < 4.5)
    let report = try run.report()
    #expect(!report.threads.isEmpty)
    if index < Self.stages.count - Self.afterTheList {
      #expect(report.capture.cutShort.contains(.init(what: name, reason: "time limit")))
    }
  }

  /// Each tick after the limit ends one try. Where processors are few, a sound header may need three.
  @Test func aHeaderThatStallsTwiceIsWritten() throws {
    let index = try #require(Self.stages.firstIndex(of: "header"))
    let run = try HandlerProbe("stall-in-stage", environment: ["PROBE_STAGE": "\(index)", "PROBE_TIMES": "2"])
    #expect(run.seconds < 4.5)
    let report = try run.report()
    #expect(report.kind == "crashReport")
    // What may be left out is, since the time is up by then.
    #expect(report.capture.cutShort.first == .init(what: "header", reason: "time limit"))
    #expect(report.capture.cutShort.count { $0.what == "header" } == 1)
  }

  @Test func withoutATimerTheLimitHolds() throws {
    let run = try HandlerProbe("filtered-without-timer", environment: ["PROBE_STAGE": "3"])
    #expect(run.end == .killed(signal: SIGSEGV))
    #expect(run.seconds < 4.5)
    _ = try run.report()
  }

  /// The user has no room left for pending signals, and so none for a timer. The program gets its own timer back.
  @Test(arguments: ["handler-exits-under-timer", "handler-exits-beside-alarm"])
  func withoutRoomForATimerTheProgramKeepsItsOwn(_ name: String) throws {
    let run = try HandlerProbe(name, wrapper: ["/usr/bin/prlimit", "--sigpending=0"])
    #expect(run.end == .exited(3), "\(run.errors.suffix(400))")
    _ = try run.report()
  }

  /// A thread may be stopped between its signal and the first instruction of the handler.
  @Test func alarmsOfOtherThreadsAreNotLost() throws {
    for _ in 0..<60 {
      let run = try HandlerProbe("thread-exits-beside-alarms")
      #expect(run.end == .exited(3), "\(run.errors.suffix(400))")
      _ = try run.report()
    }
  }

  /// The filter kills for each call that the program does not need.
  @Test(arguments: ["exit-filtered", "exit-at-once-filtered", "exit-quickly-filtered", "exit-filtered-child"])
  func aFilterThatKillsLetsTheProgramEnd(_ name: String) throws {
    let without = try HandlerProbe(name, enabled: false)
    let with = try HandlerProbe(name)
    #expect(without.end == .exited(7), "\(without.errors)")
    #expect(with.end == without.end, "\(with.errors)")
    #expect(try with.reportFiles().isEmpty)
  }

  /// In the middle of a value: what is open is closed, the rest follows.
  @Test(arguments: ["fault-in-section", "fault-in-thread-section", "stall-in-section"])
  func halfAValueIsClosed(_ name: String) throws {
    let run = try HandlerProbe(name)
    #expect(run.end == .killed(signal: SIGSEGV))
    #expect(try run.report().capture.cutShort.isEmpty == false)
  }

  /// Locks that others hold, limits that are met: the report is complete.
  @Test(
    arguments: [
      "loader-locked", "stdio-locked", "malloc-locked", "descriptors-used-up", "descriptors-soft-limit",
      "stderr-closed",
      "started-without-stderr", "pipe-without-reader", "address-space-used-up", "filtered-and-used-up",
      "descriptors-reopened",
    ])
  func reportIsComplete(_ name: String) throws {
    let without = try HandlerProbe(name, enabled: false)
    let run = try HandlerProbe(name)
    #expect(run.end == without.end)
    #expect(run.end == .killed(signal: SIGSEGV))
    #expect(run.seconds < 2)
    let report = try run.report()
    #expect(report.capture.cutShort.isEmpty)
    #expect(report.threads.allSatisfy { $0.stackEnd == "entry" })
    #expect(report.process?.startedAt != nil)
    #expect(report.memory?.resident != nil)
    #expect(report.host?.osName != nil)
    // Not a byte of ours in the program's own files.
    for file in try FileManager.default.contentsOfDirectory(atPath: run.files.path) {
      #expect(try Data(contentsOf: run.files.appending(path: file)).isEmpty, "\(file)")
    }
  }

  /// A descriptor that another thread takes while the capture looks for threads costs no thread.
  @Test func noThreadIsMissedIfDescriptorsRunOut() throws {
    for _ in 0..<10 {
      let report = try HandlerProbe("descriptors-raced-for").report()
      #expect(report.threads.count == 2)
      #expect(report.capture.cutShort.isEmpty)
    }
  }

  private static let opening = ["threads", "images", "other threads", "facts", "output"]

  /// A thread that stops with the last descriptor in its hand costs no part of the report: there is one in reserve.
  @Test(arguments: opening) func descriptorsGoneDuringTheCapture(_ name: String) throws {
    let index = try #require(Self.stages.firstIndex(of: name))
    let report = try HandlerProbe("descriptors-gone-in-stage", environment: ["PROBE_STAGE": "\(index)"]).report()
    #expect(report.capture.cutShort.isEmpty)
    #expect(report.process?.startedAt != nil)
    #expect(report.memory?.resident != nil)
    #expect(report.host?.osName != nil)
  }

  /// A pipe that nobody empties costs the summary, and no more than the limit of time.
  @Test(arguments: ["", "output=stderr"]) func fullPipe(_ options: String) throws {
    let run = try HandlerProbe("full-pipe-at-start", options: options)
    #expect(run.end == .killed(signal: SIGSEGV))
    #expect(run.seconds < 4.5)
    _ = try run.report()
  }

  @Test func fileSizeLimitCutsTheReport() throws {
    let run = try HandlerProbe("file-size-limit")
    #expect(run.end == .killed(signal: SIGSEGV))
    let files = try run.reportFiles()
    #expect(files.count == 1)
    #expect(try Data(contentsOf: files[0]).count == 2048)
    #expect(run.errors.contains("cut short"))
  }

  @Test(arguments: ["directory-removed", "directory-linked"]) func directoryGone(_ name: String) throws {
    let run = try HandlerProbe(name)
    #expect(run.end == .killed(signal: SIGSEGV))
    #expect(run.errors.contains("crashkit-report "))
    #expect(run.errors.contains(" end "))
    #expect(try FileManager.default.contentsOfDirectory(atPath: run.files.path).isEmpty)
  }

  /// x86-64's process_vm_readv, prctl and ppoll.
  @Test(arguments: [310, 157, 271]) func stoppedThreadIsRefused(_ call: Int) throws {
    let run = try HandlerProbe("filtered-bystander", environment: ["PROBE_CALL": "\(call)"])
    #expect(run.end == .killed(signal: SIGSEGV))
    let report = try run.report()
    #expect(report.threads.count == 2)
    #expect(report.threads.allSatisfy { $0.stackEnd == "entry" })
  }

  /// System calls that a filter refuses, by an error or by a signal: x86-64's process_vm_readv, rt_tgsigqueueinfo,
  /// timer_create and renameat2.
  @Test(arguments: ["filtered", "filtered-by-signal"], [310, 297, 222, 316])
  func refusedSystemCalls(_ name: String, _ call: Int) throws {
    let run = try HandlerProbe(name, environment: ["PROBE_CALL": "\(call)"])
    #expect(run.end == .killed(signal: SIGSEGV))
    let report = try run.report()
    #expect(report.threads.count == 2)
    #expect(report.threads.allSatisfy { $0.stackEnd == "entry" })
    #expect(report.capture.cutShort.isEmpty)
  }
}
