import Dispatch
import Synchronization
import Testing

@testable import ReportInputs

@Suite struct OrderedWorkTests {
  /// The first piece ends last, and its result still comes first.
  @Test func resultsComeInTheOrderOfTheWork() {
    let results = Mutex([Int]())
    let othersAreDone = DispatchSemaphore(value: 0)
    let work = OrderedWork<Int>(width: 4) { number in results.withLock { $0.append(number) } }
    work.give {
      for _ in 1..<4 { othersAreDone.wait() }
      return 0
    }
    for number in 1..<4 {
      work.give {
        othersAreDone.signal()
        return number
      }
    }
    work.finish()
    #expect(results.withLock { $0 } == [0, 1, 2, 3])
  }

  @Test func noMoreThanTheWidthIsUnderWay() {
    let counts = Mutex((now: 0, most: 0))
    let work = OrderedWork<Void>(width: 3) {}
    for _ in 0..<200 {
      work.give {
        counts.withLock { counts in
          counts.now += 1
          counts.most = max(counts.most, counts.now)
        }
        counts.withLock { $0.now -= 1 }
      }
    }
    work.finish()
    let (now, most) = counts.withLock { $0 }
    #expect(now == 0)
    #expect((1...3).contains(most))
  }
}
