import CrashReportModel
import Synchronization
import Testing

@testable import ReportSymbolication
@testable import Symbolication

@Suite struct LockNamesTests {
  /// A thread that waits for each address, and a deadlock with one more.
  private func report(_ addresses: [UInt64]) -> CrashReport {
    var report = CrashReport()
    report.images = [("a", 0x1000), ("b", 0x9000)].map { (name: String, base: UInt64) in
      var image = CrashReport.Image()
      image.name = name
      image.baseAddress = Address(base)
      return image
    }
    report.threads = addresses.map { address in
      var lock = CrashReport.HeldLock()
      lock.type = "mutex"
      lock.address = Address(address)
      var thread = CrashReport.Thread()
      thread.waitingFor = lock
      return thread
    }
    return report
  }

  @Test func oneLookForEachImage() throws {
    var report = report((0..<500).map { 0x2000 + $0 % 400 * 8 } + [0x9100, 0x10])
    report.threads?[1].waitingFor?.name = "known"
    report.threads?[2].waitingFor?.type = "condition"
    let asked = Mutex<[(image: String, count: Int)]>([])
    let names = LockNames(table: ImageTable(report)) { addresses, image in
      asked.withLock { $0.append((image.name, addresses.count)) }
      return Dictionary(uniqueKeysWithValues: addresses.map { ($0, Variable(name: "v", offset: $0 % 16)) })
    }
    names.fill(&report)
    let counts = asked.withLock { $0 }.sorted { $0.image < $1.image }
    #expect(counts.map(\.image) == ["a", "b"])
    // The locks with the names 1 and 2 are also those of threads 401 and 402.
    #expect(counts.map(\.count) == [400, 1])
    let found = (report.threads ?? []).map { $0.waitingFor?.name }
    #expect(Array(found[..<4]) == ["v", "known", nil, "v + 8"])
    #expect(Array(found[500...]) == ["v", nil])
  }
}
