import Foundation
import Testing

@testable import CrashKit

@Suite struct RetentionTests {
  private let now = ReportFolder.noon(day: 20)
  private func name(_ day: Int) -> String { ReportFolder.name(day: day) }

  @Test func handledOnesGoFirst() throws {
    let folder = try ReportFolder()
    for day in 1...3 { try folder.add(day: day) }
    for day in 4...6 { try folder.add(day: day, in: "handled/") }
    try folder.add(day: 7, in: "set-aside/")
    CrashKit.Retention(count: 5).apply(to: try folder.directory, now: now)
    #expect(
      try folder.names().filter { $0.hasSuffix(".json") }
        == [name(1), name(2), name(3), "handled/\(name(6))", "set-aside/\(name(7))"])
    CrashKit.Retention(count: 2).apply(to: try folder.directory, now: now)
    #expect(try folder.names().filter { $0.hasSuffix(".json") } == [name(2), name(3)])
  }

  @Test func bytesAreBounded() throws {
    let folder = try ReportFolder()
    for day in 1...4 { try folder.add(day: day, size: 1000) }
    CrashKit.Retention(bytes: 2500).apply(to: try folder.directory, now: now)
    #expect(try folder.names() == [name(3), name(4)])
    CrashKit.Retention(count: 0, bytes: 10).apply(to: try folder.directory, now: now)
    #expect(try folder.names() == [name(4)], "the newest is kept whatever its size")
  }

  @Test func lengthsBeyondAnyDiskAreCounted() throws {
    // This file system takes sparse files of any length.
    let folder = try ReportFolder(in: "/dev/shm")
    for day in 1...3 { #expect(truncate("\(folder.path)/\(try folder.add(day: day))", off_t.max / 4 * 3) == 0) }
    CrashKit.Retention(bytes: 1000).apply(to: try folder.directory, now: now)
    #expect(try folder.names() == [name(3)])
  }

  @Test func oldOnesGo() throws {
    let folder = try ReportFolder()
    for day in [1, 18] { try folder.add(day: day) }
    for day in [2, 19] { try folder.add(day: day, in: "handled/") }
    let aWeek = CrashKit.Retention(age: .seconds(7 * 86400))
    aWeek.apply(to: try folder.directory, now: now)
    #expect(
      try folder.names().filter { $0.hasSuffix(".json") } == [name(1), name(18), "handled/\(name(19))"],
      "one that was not handled outstays all that were")
    try FileManager.default.removeItem(atPath: "\(folder.path)/handled/\(name(19))")
    aWeek.apply(to: try folder.directory, now: now)
    #expect(try folder.names().filter { $0.hasSuffix(".json") } == [name(18)])
  }

  /// Left by a process that was killed while it was installing; one of now may still be at it.
  @Test func unfinishedRingsGo() throws {
    let folder = try ReportFolder()
    for name in ["1-01.ring.new", "2-02.ring.new"] { try folder.write("ring", to: name) }
    let old = [FileAttributeKey.modificationDate: Date(timeIntervalSince1970: now - 30 * 86400)]
    try FileManager.default.setAttributes(old, ofItemAtPath: "\(folder.path)/1-01.ring.new")
    for day in 18...19 { try folder.add(day: day) }
    CrashKit.Retention(age: .seconds(7 * 86400)).apply(to: try folder.directory, now: now)
    #expect(try folder.names() == ["2-02.ring.new", name(18), name(19)].sorted())
  }

  @Test func otherFilesAreLeftAlone() throws {
    let folder = try ReportFolder()
    let others = ["notes.txt", "1-0000000000000001.ring", "data.json"]
    for other in others { try folder.write("mine", to: other) }
    for day in 1...3 { try folder.add(day: day) }
    CrashKit.Retention(count: 1).apply(to: try folder.directory, now: now)
    #expect(try folder.names() == (others + [name(3)]).sorted())
  }

  @Test func manyProcessesMayDeleteAtOnce() throws {
    let folder = try ReportFolder()
    for day in 1...30 { for pid in 1...10 { try folder.add(day: day, pid: pid) } }
    let directory = try folder.directory
    DispatchQueue.concurrentPerform(iterations: 8) { _ in CrashKit.Retention(count: 50).apply(to: directory, now: now) }
    // Each removes the oldest ones of what it saw: those are the same ones.
    #expect(try folder.names().count == 50)
    #expect(try folder.names().first == ReportFolder.name(day: 26, pid: 1))
  }
}
