import Foundation
import Testing

extension EndToEnd {
  /// What a dying program says on standard error.
  @Suite struct SummaryTests {
    /// The command to type is one that a shell takes as it stands, whatever the folder is called.
    @Test(arguments: ["plain", "it's a folder", "$(false) & more"])
    func theCommandCanBeTyped(_ name: String) throws {
      let folder = try TemporaryFolder()
      let victim = try Victim(
        [Products.diagdemo, "crash", "null-read"],
        environment: ["CRASHKIT_DIRECTORY": folder.url.appending(path: name).path])
      let line = try #require(victim.run.standardError.split(separator: "\n").last { $0.contains("read it with: ") })
      let typed = try #require(line.components(separatedBy: "read it with: ").last)
      let run = try ProgramRun.run(
        ["/bin/sh", "-c", typed], environment: ["PATH": "\(Products.folder.path):/usr/bin:/bin"])
      #expect(run.end == .exited(0), "\(typed): \(run.standardError)")
      #expect(run.standardOutput.contains("null pointer dereference"))
    }
  }
}
