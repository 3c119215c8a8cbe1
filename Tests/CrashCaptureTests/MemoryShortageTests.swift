import CCrashCapture
import Foundation
import Testing

/// What the files of a control group say, of either version.
@Suite struct MemoryShortageTests {
  /// What is read of a group with these files, whose counters are in the first one.
  private func shortage(_ files: (name: String, text: String)...) throws -> ck_memory_shortage {
    let folder = FileManager.default.temporaryDirectory.appending(path: "memory-shortage-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for file in files { try Data(file.text.utf8).write(to: folder.appending(path: file.name)) }
    var evidence = ck_evidence()
    let path = folder.appending(path: files[0].name).path.utf8
    withUnsafeMutableBytes(of: &evidence.events_path) { $0.copyBytes(from: path) }
    evidence.events_path_length = UInt16(path.count)
    var shortage = ck_memory_shortage()
    ck_memory_shortage_read(&evidence, &shortage)
    return shortage
  }

  private static let unknown = UInt64.max

  @Test func version2() throws {
    let read = try shortage(
      ("memory.events", "low 9\nhigh 1\nmax 20\noom 3\noom_kill 4\noom_group_kill 5\n"),
      (
        "memory.pressure",
        "some avg10=12.34 avg60=1.00 avg300=0.10 total=99\nfull avg10=0.05 avg60=0 avg300=0 total=9\n"
      ))
    #expect([read.high, read.max, read.oom, read.oom_kill] == [1, 20, 3, 4])
    #expect(read.some_waited == 1234 && read.all_waited == 5)
  }

  @Test func version1() throws {
    let read = try shortage(
      ("memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n"), ("memory.failcnt", "17\n"))
    #expect([read.high, read.max, read.oom, read.oom_kill] == [Self.unknown, 17, Self.unknown, 2])
  }

  /// The machine's pressure stands in for the group's.
  @Test(arguments: [
    "", "some", "some avg10=", "some avg10=99", "some avg10=99.", "some avg10=9x.yz", "some avg60=99.99",
  ])
  func linesThatCannotBeRead(_ text: String) throws {
    let read = try shortage(("memory.events", "max\noom_kills 3\n"), ("memory.pressure", text + "\n"))
    #expect([read.max, read.oom_kill] == [Self.unknown, Self.unknown])
    #expect(read.some_waited == Self.unknown || read.some_waited < 9900)
  }
}
