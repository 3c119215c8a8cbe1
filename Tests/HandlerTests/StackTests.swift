import Foundation
import Testing

/// Stacks for handlers, and stacks that are too deep, too small or nobody's.
@Suite(.serialized) struct StackTests {
  /// Overflows: on a thread older than CrashKit that has called something of it, on a stack for handlers that is as small
  /// as can be, and where the program has taken its own away again.
  @Test(arguments: [
    "older-thread-recorded", "older-thread-read-mask", "older-thread-printed", "older-thread-read-action",
    "older-thread-started-another", "own-stack-taken-away", "own-stack-freed-at-end", "overflow-of-hand-made-stack",
    "overflow-of-c11-thread",
  ])
  func anOverflowIsReported(_ name: String) throws { try expectOverflow(name) }

  /// Two thousand bytes, where the kernel's own part leaves two hundred of them.
  @Test(
    .enabled(if: sysconf(Int32(_SC_MINSIGSTKSZ)) <= 1776),
    arguments: ["smallest-own-stack", "smallest-own-stack-first"])
  func anOverflowIsReportedOnTheSmallestStack(_ name: String) throws { try expectOverflow(name) }

  private func expectOverflow(_ name: String) throws {
    let without = try HandlerProbe(name, enabled: false)
    let run = try HandlerProbe(name)
    #expect(run.end == without.end)
    #expect(run.end == .killed(signal: SIGSEGV))
    #expect(run.output == without.output)
    let report = try run.report()
    #expect(report.cause?.hasPrefix("stack overflow") == true)
    #expect(report.threads.first?.stackEnd == "entry")
    #expect(report.capture.unprotected.isEmpty)
    #expect(report.capture.cutShort.isEmpty)
  }

  /// It may not be sent a signal to give it a stack; the report says that it has none.
  @Test func anOlderThreadThatMakesNoCallIsListed() throws {
    let report = try HandlerProbe("older-thread-silent").report()
    #expect(report.threads.count == 2)
    #expect(report.capture.unprotected == report.threads.filter { $0.crashed != true }.map(\.id))
  }

  @Test(arguments: ["before", "after"]) func theProgramSeesItsOwnStacksOnly(_ order: String) throws {
    let without = try HandlerProbe("own-stacks-read-back", [order], enabled: false)
    let with = try HandlerProbe("own-stacks-read-back", [order])
    #expect(with.end == .exited(7))
    #expect(with.end == without.end)
    #expect(with.output == without.output)
  }

  /// By a painted stack: the constant that stacks are made with covers what the handler uses.
  @Test func theHandlerFitsItsStack() throws {
    let run = try HandlerProbe("measure-handler")
    #expect(run.end == .exited(7), "\(run.errors)")
    let sizes = Dictionary(
      uniqueKeysWithValues: run.output.split(separator: "\n").map { line in
        let words = line.split(separator: " ")
        return (String(words[0]), Int(words[1]) ?? 0)
      })
    let kernel = try #require(sizes["kernel"])
    let constant = try #require(sizes["constant"])
    for way in ["crash", "call", "abort", "handler", "again"] {
      let used = try #require(sizes[way])
      #expect(used > kernel / 2)
      #expect(used - kernel <= constant, "\(way): \(used - kernel) of \(constant) bytes")
    }
  }

  /// All are counted, those at the top and at the bottom are kept.
  @Test(arguments: ["deep-recursion", "deep-recursion-on-large-stack"])
  func aHundredThousandFrames(_ name: String) throws {
    let run = try HandlerProbe(name)
    #expect(run.end == .killed(signal: SIGSEGV))
    let report = try run.report()
    let frames = try #require(report.threads.first?.frames)
    let gaps = frames.indices.filter { frames[$0].kind == "omittedFrames" }
    #expect(gaps == [256])
    #expect(frames.count == 256 + 1 + 128)
    // And the few that lead there, of which an optimised build has fewer.
    #expect((100_003...100_008).contains((frames[256].count ?? 0) + frames.count - 1))
    #expect(report.threads.first?.stackEnd == "entry")
    #expect(report.capture.captureTime < 1)
    // The two functions take turns on either side of the gap.
    for start in [10, 300] {
      #expect(frames[start].address == frames[start + 2].address)
      #expect(frames[start].address != frames[start + 1].address)
    }
  }

  @Test func aStackTooDeepToWalkIsGivenUpInTime() throws {
    let run = try HandlerProbe("endless-recursion-on-large-stack")
    #expect(run.end == .killed(signal: SIGSEGV))
    let report = try run.report()
    let thread = try #require(report.threads.first)
    #expect(thread.stackEnd == "time limit" || thread.stackEnd == "entry")
    #expect(thread.frames.contains { $0.kind == "omittedFrames" })
    #expect(report.capture.captureTime < 1)
    #expect(report.capture.cutShort.isEmpty)
  }

  @Test(arguments: ["on-coroutine", "on-coroutine-that-blocks", "on-hand-made-stack"])
  func aStackOfNoThreadIsUnwoundToItsEntry(_ name: String) throws {
    let without = try HandlerProbe(name, enabled: false)
    let run = try HandlerProbe(name)
    #expect(run.end == without.end)
    #expect(run.end == .killed(signal: SIGSEGV))
    let report = try run.report()
    let thread = try #require(report.threads.first)
    #expect(thread.stackEnd == "entry")
    #expect(thread.frames.count >= 2)
    #expect(report.capture.cutShort.isEmpty)
  }

  #if arch(x86_64)
    /// The toolchain gives _init no unwind information.
    @Test func aThreadAtTheFirstInstructionOfInitIsUnwound() throws {
      let without = try HandlerProbe("trapped-in-init", enabled: false)
      let run = try HandlerProbe("trapped-in-init")
      #expect(run.end == without.end)
      #expect(run.end == .killed(signal: SIGTRAP))
      let thread = try #require(try run.report().threads.first)
      #expect(thread.stackEnd == "entry")
      // By the frame pointer, the caller would be missing.
      #expect(thread.unwoundBy == "cfi")
      // Itself, the probe, and main.
      #expect(thread.frames.count >= 3)
    }
  #endif
}
