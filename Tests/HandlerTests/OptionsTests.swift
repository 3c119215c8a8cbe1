import Foundation
import Testing

/// CRASHKIT_OPTIONS with mistakes in it.
@Suite(.serialized) struct OptionsTests {
  private static let known =
    " (there are enable, summary, journal, registers, tasks, thrown, arguments, environment, hostname: yes or no; output: file, stderr or json-line; "
    + "chain: auto, yes or no; guard: yes, no or N for 1 in N allocations; on-signal: QUIT, USR1, USR2, HUP or 34 to 64; "
    + "the folder is CRASHKIT_DIRECTORY)"

  private func lines(_ options: String, environment: [String: String] = [:]) throws -> [String] {
    let run = try HandlerProbe("installed", environment: environment, options: options)
    #expect(run.end == .exited(0))
    return run.errors.split(separator: "\n").map { line in
      String(line.firstRange(of: "]: ").map { line[$0.upperBound...] } ?? line)
    }
  }

  private func named(_ mistakes: String) -> String { "CRASHKIT_OPTIONS: not understood: \(mistakes)\(Self.known)" }

  @Test func everyMistakeIsNamed() throws {
    #expect(try lines("summary=no,,arguments=off").isEmpty)
    #expect(try lines("bogus=1") == [named("bogus=1")])
    #expect(try lines("bogus=1,word,summary=perhaps,=,chain=") == [named("bogus=1, word, summary=perhaps, =, chain=")])
    #expect(try lines("enable=no,word") == [named("word")])
  }

  /// Signals of faults, those that nothing can catch or that CrashKit, libc and job control need, and those that are to
  /// end programs.
  @Test(arguments: [
    "", "no", "quit", "SEGV", "11", "ABRT", "KILL", "9", "STOP", "SIGSYS", "ALRM", "PIPE", "CHLD", "TERM", "INT",
    "TSTP", "0", "-1", "32", "33", "65", "999", "3 ", "+3", "SIG", "QUITS",
  ])
  func signalsThatCannotAsk(_ name: String) throws {
    #expect(try lines("on-signal=\(name)") == [named("on-signal=\(name)")])
  }

  @Test(arguments: ["QUIT", "SIGUSR1", "USR2", "HUP", "3", "34", "64"]) func signalsThatCanAsk(_ name: String) throws {
    #expect(try lines("on-signal=\(name)").isEmpty)
  }

  /// A folder that cannot be used has a line of its own.
  @Test func anUnusableFolderHasItsOwnLine() throws {
    let said = try lines("bogus=1,word", environment: ["CRASHKIT_DIRECTORY": "/proc/nowhere"])
    #expect(said.count == 2)
    #expect(said.first == named("bogus=1, word"))
    #expect(said.last?.contains("/proc/nowhere") == true)
  }

  /// The line is short, whatever the variable holds, and a terminal obeys none of it.
  @Test func theLineIsBoundedAndHarmless() throws {
    let many = (1...5_000).map { "b\($0)" }.joined(separator: ",")
    #expect(try lines(many) == [named("b1, b2, b3, b4, b5, b6, b7, b8 and 4992 more")])
    #expect(try lines("a\u{1B}[2Jb\n=\r") == [named("a?[2Jb = ")])
    let long = try lines((1...9).map { _ in String(repeating: "ä", count: 400) }.joined(separator: ","))
    let each = String(repeating: "ä", count: 30) + "…"
    #expect(long == [named(repeatElement(each, count: 8).joined(separator: ", ") + " and 1 more")])
  }

  /// What is not understood changes nothing.
  @Test func mistakesChangeNothing() throws {
    let run = try HandlerProbe("null-read", options: "output=stderr,output=nowhere,registers=,summary=maybe")
    #expect(run.errors.contains("crashkit-report "))
    #expect(run.errors.contains("read it with: crashsym "))
  }
}
