import Synchronization
import Testing

@testable import Watcher

@Suite struct SharedLookTests {
  private final class Looks: Sendable {
    let count = Mutex(0)

    func look(for longest: UInt64) -> Watcher.SharedLook<Int> {
      Watcher.SharedLook(for: longest) { [self] _ throws(Watcher.Unavailability) in
        let number = count.withLock {
          $0 += 1
          return $0
        }
        guard number < 3 else { throw .noDevice("third") }
        return number
      }
    }
  }

  @Test func readingsWithinAMomentAreTheSame() throws {
    let look = Looks().look(for: .max)
    let first = look(.machine)
    #expect(try first.result.get() == 1)
    let second = look(.machine)
    #expect(try second.result.get() == 1)
    #expect(first.instant == second.instant, "a rate is made with the time of the look")
  }

  @Test func laterReadingsAreNew() throws {
    let look = Looks().look(for: 0)
    #expect(try look(.machine).result.get() == 1)
    #expect(try look(.machine).result.get() == 2)
    #expect(throws: Watcher.Unavailability.noDevice("third")) { try look(.machine).result.get() }
  }

  @Test func filesOfTestsAreReadEachTime() throws {
    let look = Looks().look(for: .max)
    #expect(try look(Watcher.SystemRoot("/a")).result.get() == 1)
    #expect(try look(Watcher.SystemRoot("/a")).result.get() == 2)
  }

  @Test func tickersOfOnePaceCallTogether() {
    let second = Watcher.Ticker.grid(1_000_000_000)
    #expect(second == 50_000_000)
    #expect(Watcher.Ticker.grid(100_000_000) == 5_000_000)
    #expect(Watcher.Ticker.grid(86_400_000_000_000) == 50_000_000, "nobody waits long for the first call")
    #expect(Watcher.Ticker.call(1_000_000_001, on: second) == 1_050_000_000)
    #expect(Watcher.Ticker.call(1_049_000_000, on: second) == 1_050_000_000)
    #expect(Watcher.Ticker.call(1_050_000_000, on: second) == 1_050_000_000)
  }
}

@Suite struct KernelTextTests {
  private func parse<Found>(_ text: String, _ body: (KernelText) -> Found) -> Found {
    let bytes = Array(text.utf8) + [0]
    return bytes.withUnsafeBufferPointer { body(KernelText($0.baseAddress!, count: bytes.count - 1)) }
  }

  @Test(arguments: [
    ("0", 0), ("18446744073709551615", UInt64.max), ("18446744073709551616", nil), ("99999999999999999999", nil),
    ("", nil), ("-1", nil), ("1 ", nil), ("0x1", nil),
  ])
  func numbers(_ text: String, _ number: UInt64?) {
    #expect(parse(text) { $0.number } == number)
  }

  @Test func linesAndWords() {
    let found = parse("\n a  b\tc\n\nd") { text in
      var (text, words) = (text, [[String]]())
      while var line = text.line() {
        var inLine: [String] = []
        while let word = line.word() { inLine.append(word.string) }
        words.append(inLine)
      }
      return words
    }
    #expect(found == [["a", "b", "c"], ["d"]])
    #expect(parse(" x y \n") { $0.trimmed.string } == "x y")
    #expect(parse("1 (a) b) c") { $0.behindLast(UInt8(ascii: ")"))?.string } == " c")
    #expect(parse("cpu0") { $0.behind("cpu ") == nil })
    #expect(parse("lo") { $0 == "lo" })
    #expect(!parse("lo0") { $0 == "lo" })
  }
}
