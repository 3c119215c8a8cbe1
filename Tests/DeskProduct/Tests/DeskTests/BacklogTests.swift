import CrashReportModel
import Dispatch
import Foundation
import GRDB
import Symbolication
import Synchronization
import Testing

@testable import DeskServer
@testable import DeskStore

private final class Flag: Sendable {
  private let value = Atomic(false)

  var isSet: Bool { value.load(ordering: .acquiring) }

  func set() { value.store(true, ordering: .releasing) }
}

/// Reports that are accepted first, and described later.
struct BacklogTests {
  private static func received(_ second: Int, project: String? = nil) -> ReceivedReport {
    let bytes = Array(reportText(second: second).utf8)
    return ReceivedReport(id: ReportID(of: bytes), project: project, bytes: bytes)
  }

  private static let describer = ReportDescriber(Symbolicator(options: .init(debugDirectories: [])))

  private static func opened(_ path: String) throws -> SQLiteStore {
    try SQLiteStore(DataFolder(path)) { try describer.describe($0, $1) }
  }

  /// As after a kill: the next desk has what waits, with its project, whatever became of the database.
  @Test(arguments: [false, true]) func goesOnAtTheNextStart(isDatabaseLost: Bool) async throws {
    let folder = TemporaryFolder()
    let reports = [Self.received(1, project: "shop"), Self.received(2)]
    do {
      let store = try Self.opened(folder.path)
      #expect(try store.receive(reports + reports).map { try $0.get() } == [.new, .new, .known, .known])
      #expect(try store.receive(reports).map { try $0.get() } == [.known, .known])
      #expect(try store.totals(now: .now).reports == 0)
      #expect(try reports.allSatisfy { try store.bytes(of: $0.id) == $0.bytes })
    }
    if isDatabaseLost {
      for suffix in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: "\(folder.path)/desk.sqlite\(suffix)")
      }
    }
    try Data().write(to: URL(fileURLWithPath: "\(folder.path)/incoming/\(reports[0].id.text).json.00.part"))
    let store = try Self.opened(folder.path)
    #expect(store.waiting.count == 2)
    let desk = try Desk(store, Tokens(folder.path), Self.describer)
    for report in reports {
      let answer = await desk.answer(to: .test("GET", "/reports/\(report.id.text)/raw.json", [], [:], "127.0.0.1"))
      #expect(answer.body == report.bytes)
    }
    #expect(try store.waiting.isEmpty && store.totals(now: .now).reports == 2)
    #expect(try store.receive(reports).map { try $0.get() } == [.known, .known])
    let project = try store.read { try String.fetchAll($0, sql: "SELECT project FROM report WHERE time % 2000000 > 0") }
    #expect(project == ["shop"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/incoming") == [])
  }

  /// The name of a report was moved, and the machine lost its power before that was on the disk.
  @Test func countsOnceWhatWaitsAndIsCounted() async throws {
    let folder = TemporaryFolder()
    let report = Self.received(1)
    do {
      let store = try Self.opened(folder.path)
      _ = try store.take(Self.describer.describe(report.id, report.bytes))
    }
    let (old, new) = ("reports/\(report.id.text.prefix(2))/\(report.id.text)", "incoming/\(report.id.text)")
    rename("\(folder.path)/\(old).json", "\(folder.path)/\(new).json")
    let store = try Self.opened(folder.path)
    let backlog = Backlog(store, Self.describer) { _, _ in }
    backlog.resume()
    await backlog.described(report.id)
    #expect(try store.totals(now: .now).reports == 1 && store.bytes(of: report.id) == report.bytes)
    #expect(FileManager.default.fileExists(atPath: "\(folder.path)/\(old).json"))
  }

  @Test func leavesOutWhatCannotBeDescribed() async throws {
    let folder = TemporaryFolder()
    let store = try Self.opened(folder.path)
    let bad = ReceivedReport(id: ReportID(key: "bad"), project: nil, bytes: Array("{}".utf8))
    #expect(try store.receive([bad])[0].get() == .new)
    let backlog = Backlog(store, Self.describer) { _, _ in }
    backlog.resume()
    await backlog.described(bad.id)
    #expect(store.waiting.isEmpty && backlog.count == 0)
    // The next start names it.
    #expect(try store.bytes(of: bad.id) == bad.bytes)
  }

  /// A sender waits for room if too many wait.
  @Test func holdsSendersBack() async throws {
    let folder = TemporaryFolder()
    let store = try Self.opened(folder.path)
    let gate = DispatchSemaphore(value: 0)
    let backlog = Backlog(store, Self.describer, most: 6) { _, _ in gate.wait() }
    let reports = (0..<6).map { Self.received($0) }
    for result in store.receive(reports) { #expect(try result.get() == .new) }
    let checked = try reports.map { try Self.describer.check($0.id, $0.bytes) }
    #expect(checked.map { backlog.add($0, of: nil) } == [true, true, true, true, false, false])
    #expect(backlog.count == 6)
    let hasRoom = Flag()
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        await backlog.room()
        hasRoom.set()
      }
      for _ in 0..<1000 { await Task.yield() }
      #expect(!hasRoom.isSet)
      for _ in reports { gate.signal() }
    }
    for report in reports { await backlog.described(report.id) }
    await backlog.room()
    #expect(try backlog.count == 0 && store.totals(now: .now).reports == 6)
  }

  /// Only so many bytes of those that wait are held in memory: the rest is read from the disk.
  @Test func describesWhatItDoesNotHold() async throws {
    let folder = TemporaryFolder()
    let store = try Self.opened(folder.path)
    let gate = DispatchSemaphore(value: 0)
    let backlog = Backlog(store, Self.describer) { _, _ in gate.wait() }
    let reports = (0..<6).map { number in
      let bytes = Array(reportText(message: "\(number)" + String(repeating: "x", count: 1 << 20)).utf8)
      return ReceivedReport(id: ReportID(of: bytes), project: "shop", bytes: bytes)
    }
    for result in store.receive(reports) { #expect(try result.get() == .new) }
    for report in reports { _ = backlog.add(try Self.describer.check(report.id, report.bytes), of: report.project) }
    for _ in reports { gate.signal() }
    for report in reports { await backlog.described(report.id) }
    let projects = try store.read { try String.fetchAll($0, sql: "SELECT project FROM report") }
    #expect(projects == Array(repeating: "shop", count: 6))
  }

  @Test func copiesWhatWaits() throws {
    let folder = TemporaryFolder()
    let (report, target) = (Self.received(1, project: "shop"), folder.path + "-copy")
    defer { try? FileManager.default.removeItem(atPath: target) }
    let store = try Self.opened(folder.path)
    #expect(try store.receive([report])[0].get() == .new)
    #expect(try DeskBackup.make(of: folder.path, to: target) == 1)
    let copy = try Self.opened(target)
    #expect(copy.waiting.map(\.project) == ["shop"])
    #expect(try copy.bytes(of: report.id) == report.bytes)
    var lines: [[UInt8]] = []
    try DeskExport.lines(of: folder.path) { lines.append($0) }
    #expect(lines.count == 2 && String(decoding: lines[1], as: UTF8.self).contains(report.id.text))
  }
}
