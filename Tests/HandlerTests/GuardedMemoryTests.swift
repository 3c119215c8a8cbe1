import Foundation
import Testing

/// What a report says of guarded memory, by tables that the probe makes up. How the guard itself fills them is
/// EndToEndTests' to tell.
@Suite(.serialized) struct GuardedMemoryTests {
  private struct Report: Decodable {
    struct Guarded: Decodable {
      struct Step: Decodable {
        struct Frame: Decodable { var kind: String }
        var thread: Int
        var frames: [Frame]
      }
      var size: Int
      var offset: Int
      var allocated: Step?
      var released: Step?
    }
    var causeCode: String?
    var guarded: Guarded?
  }

  private func report(_ name: String) throws -> Report {
    let run = try HandlerProbe(name)
    return try withExtendedLifetime(run) {
      _ = try run.report()
      return try JSONDecoder().decode(Report.self, from: Data(contentsOf: #require(try run.reportFiles().first)))
    }
  }

  @Test func bothStacksAreThere() throws {
    let report = try report("guarded-whole")
    #expect(report.causeCode == "useAfterFree")
    let memory = try #require(report.guarded)
    #expect(memory.size == 48 && memory.offset == 8)
    #expect(memory.allocated?.thread == 71 && memory.released?.thread == 72)
    #expect(memory.allocated?.frames.map(\.kind) == ["returnAddress", "truncated"])
  }

  /// The page beside it is never accessible. Of two neighbours, the one in use counts.
  @Test(arguments: [
    ("guarded-past-its-end", "overrun", 53), ("guarded-before-its-start", "underrun", -3),
    ("guarded-beside-two", "underrun", 48 + 5 - 8192),
  ])
  func neighboursAreKnown(_ name: String, _ cause: String, _ offset: Int) throws {
    let report = try report(name)
    #expect(report.causeCode == cause)
    // Of pages of 4 KiB.
    if sysconf(Int32(_SC_PAGESIZE)) == 4096 || offset > -4096 { #expect(report.guarded?.offset == offset) }
    #expect(report.guarded?.allocated?.thread == 71 && report.guarded?.released == nil)
  }

  /// Nothing of a damaged table is believed, and the report is as it would be without one.
  @Test(arguments: [
    "of-another-version", "with-strange-pages", "without-end", "without-table", "of-huge-size", "of-strange-address",
    "being-taken",
  ])
  func aDamagedTableIsNotRead(_ damage: String) throws {
    let report = try report("guarded-\(damage)")
    #expect(report.causeCode == "protectedAccess")
    #expect(report.guarded == nil)
  }

  /// What else is known of the memory stays.
  @Test func onlyADamagedStackIsLost() throws {
    let memory = try #require(try report("guarded-with-huge-stack").guarded)
    #expect(memory.allocated == nil && memory.released?.thread == 72)
    let wild = try #require(try report("guarded-with-wild-stack").guarded)
    #expect(wild.allocated?.frames.map(\.kind) == ["returnAddress", "truncated"])
    #expect(wild.released?.thread == 72)
  }

  @Test func anAbortOfAnotherKindIsNotAMemoryMistake() throws {
    let report = try report("guarded-stopped-elsewhere")
    #expect(report.causeCode == "abortCalled")
    #expect(report.guarded == nil)
  }
}
