import Foundation
import GRDB
import ReportSending
import Symbolication
import Testing

@testable import DeskServer
@testable import DeskStore

/// Reports, events and files of a watched folder come in by the same door: on the disk first, then described.
struct DoorTests {
  /// Runs the work while the database takes no changes: what comes in meanwhile is accepted, and has no group.
  private static func withoutChanges(to store: SQLiteStore, _ work: () async throws -> Void) async throws {
    let (held, hold) = AsyncStream.makeStream(of: Void.self)
    let free = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      try? store.write { _ in
        hold.yield()
        free.wait()
      }
    }
    defer { free.signal() }
    for await _ in held { break }
    try await work()
  }

  /// A file that is in a watched folder.
  private static func put(_ text: String, in folder: String, _ name: String = "a.json") throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
  }

  private static func event(_ desk: Desk) async -> DeskAnswer {
    let text = envelope([(#"{"type":"event","length":\#(pythonEvent().utf8.count)}"#, pythonEvent())])
    let type = ["Content-Type": "application/x-sentry-envelope"]
    return await desk.answer(to: .test("POST", "/api/7/envelope/", Array(text.utf8), type, "127.0.0.1"))
  }

  private static func report(_ desk: Desk, _ second: Int) async -> DeskAnswer {
    let (text, type) = (reportText(second: second), ["Content-Type": "application/json"])
    return await desk.answer(to: .test("POST", "/api/reports", Array(text.utf8), type, "127.0.0.1"))
  }

  /// The desk has what it accepted before it described it, and a desk that was killed then goes on with it.
  @Test(.timeLimit(.minutes(5)), arguments: [true, false])
  func acceptsBeforeItDescribes(isEvent: Bool) async throws {
    let test = try TestDesk()
    let reports = TemporaryFolder()
    let copy = TemporaryFolder()
    let stop = StopSignal()
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    var answer: Task<DeskAnswer, Never>?
    try await Self.withoutChanges(to: test.store) {
      if isEvent {
        answer = Task { [desk = test.desk] in await Self.event(desk) }
      } else {
        try Self.put(reportText(), in: reports.path)
        try WatchedFolder(reports.path).follow(for: test.desk, until: stop) { end.finish() }
      }
      while test.store.waiting.isEmpty { try await yieldUnlessCancelled() }
      #expect(try test.store.totals(now: .now).reports == 0)
      // What a kill leaves.
      try FileManager.default.createDirectory(atPath: copy.path, withIntermediateDirectories: true)
      try FileManager.default.copyItem(atPath: "\(test.folder.path)/incoming", toPath: "\(copy.path)/incoming")
    }
    if let answer { #expect(await answer.value.status.code == 200) }
    if !isEvent {
      stop.stop()
      for await _ in ends {}
    }
    let describer = ReportDescriber(Symbolicator(options: .init(debugDirectories: [])))
    let store = try SQLiteStore(DataFolder(copy.path)) { try describer.describe($0, $1) }
    let waiting = try #require(store.waiting.first)
    #expect(waiting.project == (isEvent ? "7" : nil))
    let desk = try Desk(store, Tokens(copy.path), describer)
    let page = await desk.answer(to: .test("GET", "/reports/\(waiting.id.text)", [], [:], "127.0.0.1"))
    #expect(page.status.code == 200 && page.text.contains(isEvent ? "no such order" : "book_price"))
    #expect(try store.totals(now: .now).reports == 1)
    if isEvent { #expect(await Self.event(desk).field("status") == "known") }
  }

  /// A sender waits for its report's group only if few others wait.
  @Test(.timeLimit(.minutes(5))) func answersBeforeTheGroupIsKnown() async throws {
    let test = try TestDesk()
    var first: [Task<DeskAnswer, Never>] = []
    try await Self.withoutChanges(to: test.store) {
      first = (0..<4).map { number in Task { [desk = test.desk] in await Self.report(desk, number) } }
      while !(await test.answer("GET", "/metrics").text.contains("crashsym_desk_waiting_reports 4\n")) {
        await Task.yield()
      }
      let fifth = await Self.report(test.desk, 4)
      #expect(fifth.status.code == 202 && fifth.field("page") != nil && fifth.field("fingerprint") == nil)
    }
    for answer in first { #expect(await answer.value.field("fingerprint") != nil) }
  }

  /// The desk leaves a file out for good if it is too long, and tries it again if others hold too many bytes.
  @Test(.timeLimit(.minutes(5))) func limitsFilesOfAFolder() async throws {
    var configuration = Desk.Configuration()
    (configuration.unpackedLimit, configuration.bodiesLimit) = (4000, 4000)
    let test = try TestDesk(configuration)
    let reports = TemporaryFolder()
    let stop = StopSignal()
    try Self.put(reportText(message: String(repeating: "x", count: 5000)), in: reports.path, "long.json")
    try Self.put(reportText(), in: reports.path)
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    func refused() async -> Int {
      let metrics = await test.answer("GET", "/metrics").text
      let line = metrics.split(separator: "\n").first { $0.contains(#"result="refused""#) }
      return line.flatMap { $0.split(separator: " ").last }.flatMap { Int($0) } ?? 0
    }
    do {
      let others = test.desk.room.share()
      try others.take(3900)
      try WatchedFolder(reports.path).follow(for: test.desk, until: stop, pause: 10) { end.finish() }
      // The long one once, and the other one again and again.
      while await refused() < 3 { try await yieldUnlessCancelled() }
      #expect(try test.store.totals(now: .now).reports == 0)
      withExtendedLifetime(others) {}
    }
    while try test.store.totals(now: .now).reports == 0 { try await yieldUnlessCancelled() }
    let before = await refused()
    stop.stop()
    for await _ in ends {}
    #expect(await refused() == before)
    #expect(try test.store.totals(now: .now).reports == 1)
  }
}
