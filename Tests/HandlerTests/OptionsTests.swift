import Foundation
import Testing

/// CRASHKIT_OPTIONS with mistakes in it.
@Suite(.serialized) struct OptionsTests {
  private static let known =
    " (there are enable, summary, registers, tasks, arguments, environment: yes or no; output: file or stderr; chain: "
    + "auto, yes or no)"

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

  /// A folder that cannot be used has a line of its own.
  @Test func theFolderTakesNothingAway() throws {
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
