import CrashReportModel
import Foundation
import Testing

@testable import ReportSending

/// What is sent when, by a clock and a server that the tests have in hand.
@Suite struct DrainerTests {
  private let folder: Folder
  private let world = World()

  init() throws { folder = try Folder() }

  private func counts(_ bodies: [JSONObject]) -> [Int] {
    bodies.compactMap { $0["count"].flatMap { Int(json: $0) } }
  }

  @Test func aReportIsSentOnce() throws {
    try folder.put(fault: "a", second: 0, pid: 1)
    try folder.put(fault: "b", second: 0, pid: 2)
    let outcome = try world.drainer(folder).pass(waitsForMinutes: false)
    #expect(outcome.sent == 2 && !outcome.isUnfinished)
    #expect(world.taken().map { $0["description"] } == ["prepared".json, "prepared".json])
    #expect(try world.drainer(folder).pass(waitsForMinutes: false) == .init())
    #expect(world.taken().isEmpty)
  }

  /// What can be read of it counts.
  @Test(arguments: ["cut short", "of one entry", "of all"]) func aDamagedJournalIsSetAside(_ damage: String) throws {
    for pid in 1...3 { try folder.put(fault: "\(pid)", second: 0, pid: pid) }
    #expect(try world.drainer(folder).pass(waitsForMinutes: false).sent == 3)
    _ = world.taken()
    let name = try #require(try folder.journals.first)
    let text = try String(contentsOf: folder.url.appending(path: name), encoding: .utf8)
    let last = try #require(text.range(of: #"{"name""#, options: .backwards))
    switch damage {
    case "cut short": try folder.put(name, String(text[..<last.upperBound]))
    case "of one entry": try folder.put(name, text.replacingCharacters(in: last, with: #"{"nam""#))
    default: try folder.put(name, "\0\0\0")
    }
    let again = try world.drainer(folder).pass(waitsForMinutes: false)
    #expect(again.sent + again.counted == (damage == "of all" ? 3 : 1))
    #expect(world.lines().count { $0.contains("damaged: it was renamed to \(name).damaged, and ") } == 1)
    #expect(try Set(folder.journals) == [name, name + ".damaged"])
    #expect(try world.drainer(folder).pass(waitsForMinutes: false) == .init())
  }

  /// The next version of the reader may know it.
  @Test func aReportOfALaterSchemaWaitsForALaterReader() throws {
    try folder.put("1-a.json", #"{"schema":"crashkit/2","kind":"crashReport","message":"a"}"#)
    try folder.put("2-b.json", #"{"schema":"crashkit/1","kind":"crashReport","message":"b"}"#)
    let outcome = try world.drainer(folder).pass(waitsForMinutes: false)
    #expect(outcome.sent == 1 && outcome.unread == 1)
    #expect(world.lines().map { $0.contains("crashkit/2") } == [true])
    #expect(try world.drainer(folder).pass(waitsForMinutes: false) == .init())
    #expect(try world.drainer(folder, reader: "2").pass(waitsForMinutes: false).unread == 1)
  }

  @Test func aCrashLoopSendsOneReportAMinuteAndCountsTheRest() throws {
    for second in 0..<90 { try folder.put(fault: "loop", second: second, pid: second + 1) }
    let outcome = try world.drainer(folder).pass(waitsForMinutes: false)
    #expect(outcome.sent == 2 && outcome.counted == 88)
    let bodies = world.taken()
    #expect(bodies.count == 4)
    #expect(counts(bodies) == [59, 29])
    #expect(bodies.last?["minute"] == "2026-11-27T10:01:00.000000Z".json)
  }

  @Test func theCountOfAMinuteWaitsForItsEnd() throws {
    for second in 0..<3 { try folder.put(fault: "loop", second: second, pid: second + 1) }
    let drainer = try world.drainer(folder)
    let outcome = try drainer.pass(waitsForMinutes: true)
    #expect(outcome.sent == 1 && outcome.counted == 2)
    #expect(outcome.wake == world.now + 60_000_000)
    #expect(world.taken().count == 1)
    world.pass(seconds: 59)
    #expect(try drainer.pass(waitsForMinutes: true).wake != nil)
    #expect(world.taken().isEmpty)
    world.pass(seconds: 1)
    #expect(try drainer.pass(waitsForMinutes: true) == .init())
    #expect(counts(world.taken()) == [2])
  }

  @Test func aCountThatWasOnItsWayIsSentUnchanged() throws {
    for second in 0..<3 { try folder.put(fault: "loop", second: second, pid: second + 1) }
    world.answer(200)
    world.answer(.failure(TransportFailure("killed")))
    #expect(try world.drainer(folder).pass(waitsForMinutes: false).isUnfinished)
    let first = try #require(world.taken().last)
    for second in 3..<8 { try folder.put(fault: "loop", second: second, pid: second + 1) }
    world.pass(seconds: 600)
    #expect(try world.drainer(folder).pass(waitsForMinutes: false).counted == 5)
    let bodies = world.taken()
    #expect(bodies.first == first)
    #expect(counts(bodies) == [2, 5])
    #expect(Set(bodies.map { $0["id"] }).count == 2)
  }

  @Test func theWaitDoublesUpToFiveMinutes() throws {
    try folder.put(fault: "a", second: 0, pid: 1)
    var waits: [Int64] = []
    for _ in 0..<10 {
      world.answer(500)
      let outcome = try world.drainer(folder).pass(waitsForMinutes: false)
      #expect(outcome.isUnfinished)
      let wait = try #require(outcome.wake) - world.now
      waits.append(wait / 1_000_000)
      #expect(world.taken().count == 1)
      #expect(try world.drainer(folder).pass(waitsForMinutes: false).isUnfinished)
      #expect(world.taken().isEmpty)
      world.pass(seconds: Double(wait) / 1_000_000)
    }
    #expect(waits == [2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
    #expect(try world.drainer(folder).pass(waitsForMinutes: false).sent == 1)
  }

  @Test func onlyRetryAfterCounts() throws {
    try folder.put(fault: "a", second: 0, pid: 1)
    world.answer(.success(HTTPResponse(status: 429, headers: ["retry-after": "700"])))
    #expect(try world.drainer(folder).pass(waitsForMinutes: false).wake == world.now + 700_000_000)
    world.pass(seconds: 699)
    #expect(try world.drainer(folder).pass(waitsForMinutes: false).isUnfinished)
    world.pass(seconds: 1)
    #expect(try world.drainer(folder).pass(waitsForMinutes: false).sent == 1)
  }

  @Test func aClockThatWasSetBackHoldsNothingUp() throws {
    try folder.put(fault: "a", second: 0, pid: 1)
    world.answer(.success(HTTPResponse(status: 429, headers: ["retry-after": "99999999"])))
    #expect(try world.drainer(folder).pass(waitsForMinutes: false).wake == world.now + 86_400_000_000)
    world.pass(seconds: -86_400)
    #expect(try world.drainer(folder).pass(waitsForMinutes: false).sent == 1)
  }

  @Test func rejectedReportsAreSetAside() throws {
    try folder.put(fault: "a", second: 0, pid: 1)
    try folder.put(fault: "b", second: 0, pid: 2)
    world.answer(400)
    let outcome = try world.drainer(folder).pass(waitsForMinutes: false)
    #expect(outcome.sent == 1 && outcome.rejected == 1 && !outcome.isUnfinished)
    #expect(world.lines().count == 1)
    #expect(try world.drainer(folder).pass(waitsForMinutes: false) == .init())
    let drainer = try world.drainer(folder)
    #expect(throws: SendFailure.self) { try world.drainer(folder) }
    #expect(try drainer.begin(waits: false, retriesRejected: true) == false)
  }

  @Test func unreadableReportsAreNamedOnceAVersion() throws {
    try folder.put("0-broken.json", "{")
    #expect(try world.drainer(folder).pass(waitsForMinutes: false).unread == 1)
    #expect(try world.drainer(folder).pass(waitsForMinutes: false).unread == 0)
    #expect(world.lines().count == 1)
    #expect(try world.drainer(folder, reader: "2").pass(waitsForMinutes: false).unread == 1)
  }

  @Test func aFileThatChangedIsAnotherReport() throws {
    try folder.put("1.json", #"{"schema":"crashkit/1","kind":"crashReport","message":"a"}"#)
    _ = try world.drainer(folder).pass(waitsForMinutes: false)
    try folder.put("1.json", #"{"schema":"crashkit/1","kind":"crashReport","message":"other"}"#)
    #expect(try world.drainer(folder).pass(waitsForMinutes: false).sent == 1)
  }

  @Test func aDamagedJournalIsReportedAndReplaced() throws {
    try folder.put(fault: "a", second: 0, pid: 1)
    _ = try world.drainer(folder).pass(waitsForMinutes: false)
    let name = try #require(try folder.journals.first)
    try folder.put(name, #"{"schema":"crashkit-sent/1","files":[{"#)
    #expect(try world.drainer(folder).pass(waitsForMinutes: false).sent == 1)
    #expect(world.lines().count == 1)
  }

  @Test func theJournalIsReadAgainAsItWas() throws {
    var journal = SendJournal()
    journal.note(.init(name: "a", size: 1, changed: 2), .sent)
    journal.note(.init(name: "b", size: 3, changed: 4), .unread, reason: "not \"a\" report", reader: "1")
    let key = SendJournal.Fault.Key(fingerprint: "2-x", minute: 29_929_560)
    var fault = SendJournal.Fault(key: key, title: "trap", used: 5)
    fault.sent = EventID(of: [1])
    fault.waiting = 3
    fault.counted = 4
    fault.rejected = 1
    fault.batch = .init(id: EventID(of: [2]), count: 7)
    journal.faults[key] = fault
    journal.pausedUntil = 6
    journal.failures = 2
    let read = try #require(SendJournal(journal.bytes))
    #expect(read.bytes == journal.bytes)
    #expect(read.faults == journal.faults && read.entries == journal.entries)
    #expect(read.pausedUntil == 6 && read.failures == 2)
    #expect(SendJournal(Array(journal.bytes.dropLast(5)))?.isDamaged == true)
  }
}
