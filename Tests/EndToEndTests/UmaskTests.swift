import Foundation
import Testing

extension EndToEnd {
  /// A umask that takes rights away from the owner too: what CrashKit makes is the owner's to read and write all the same.
  @Suite struct UmaskTests {
    private func mode(_ path: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test(arguments: ["early", "late"]) func theOwnerKeepsItsRights(_ when: String) throws {
      let folder = try TemporaryFolder()
      let program = try Compiler.compile("umask.c", into: folder)
      let reports = folder.url.appending(path: "a/b").path
      let command = [Products.crashsym, "run", "--", program, when]
      let starter = ["/bin/sh", "-c", "umask 0777; exec \"$@\"", "sh"]
      let run = try ProgramRun.run(
        when == "early" ? starter + command : command, environment: ["CRASHKIT_DIRECTORY": reports])
      #expect(run.end == .killed(signal: SIGSEGV))
      for made in [folder.url.appending(path: "a").path, reports] { #expect(try mode(made) == 0o700) }
      let files = try FileManager.default.contentsOfDirectory(atPath: reports)
      #expect(files.count { $0.hasSuffix("-crashReport.json") } == 1, Comment(rawValue: run.standardError))
      for file in files { #expect(try mode("\(reports)/\(file)") == 0o600, "\(file)") }
    }
  }
}
