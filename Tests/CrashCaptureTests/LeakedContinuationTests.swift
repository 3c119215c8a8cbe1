import Foundation
import Testing

/// Continuations that the program drops without resuming them.
@Suite struct LeakedContinuationTests {
  @Test func eachFunctionIsReportedOnce() throws {
    let probe = try LiveProbe()
    let path = probe.directory.appending(path: "errors").path
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    let errors = try #require(FileHandle(forUpdatingAtPath: path))
    let (end, _) = try probe.run("tasks-probe", ["leak"], errors: errors)
    #expect(end == .exit(0))
    let reports = try probe.reports()
    #expect(reports.map(\.kind) == ["leakedContinuation", "leakedContinuation"])
    let words = "leaked its continuation without resuming it"
    #expect(reports.compactMap(\.description) == ["profile() \(words)", "order() \(words)"])
    let dropped = try #require(reports.first?.threads.first)
    #expect(dropped.capturedBy == "caller" && dropped.stackEnd == "entry")
    // The last report sees the task that waits for ever since the first leak.
    #expect(reports.last?.tasks?.contains { $0.name == "first" } == true)
    let said = try String(contentsOfFile: path, encoding: .utf8)
    #expect(said.components(separatedBy: "SWIFT TASK CONTINUATION MISUSE").count == 4)
    #expect(said.components(separatedBy: "]: profile() \(words): \(probe.directory.path)/").count == 2, "\(said)")
  }
}
