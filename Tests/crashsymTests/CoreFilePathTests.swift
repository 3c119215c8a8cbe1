import Foundation
import ProgramRunner
import Testing

/// `crashsym run` names the core file of a program that left no report.
@Suite struct CoreFilePathTests {
  private let scratch = try! Scratch()

  private func found(_ pattern: String, usesPID: Bool = false, _ names: [String]) throws -> [String] {
    for name in names { _ = try scratch.write("x", to: name) }
    let path = CoreFilePath(pattern: scratch.path("") + pattern, usesPID: usesPID, pid: 42, signal: 11)
    return try #require(path).files(since: 0).map { String($0.split(separator: "/").last!) }.sorted()
  }

  @Test func patterns() throws {
    let names = ["core", "core.42", "core.4", "core.42.x", "core-api-42-11", "api.core.42.9"]
    #expect(try found("core", names) == ["core"])
    #expect(try found("core", usesPID: true, names) == ["core.42"])
    #expect(try found("core.%p", usesPID: true, names) == ["core.42"])
    #expect(try found("core-%e-%p-%s", names) == ["core-api-42-11"])
    #expect(try found("%e.core.%p.%t", names) == ["api.core.42.9"])
    #expect(try found("core.%%", names) == [])
    #expect(try found("core.%p%", names) == ["core.42"])
    #expect(try found("none.%p", names) == [])
  }

  @Test func otherFilesAreNotTakenForTheCore() throws {
    for pattern in ["|/usr/lib/systemd/systemd-coredump %P", "", "/var/%h/core"] {
      #expect(CoreFilePath(pattern: pattern, usesPID: false, pid: 42, signal: 11) == nil, "\(pattern)")
    }
    _ = try scratch.write("x", to: "target")
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path("core"), withDestinationPath: scratch.path("target"))
    #expect(try found("core", []) == [])
    _ = try scratch.write("x", to: "core.42")
    let path = CoreFilePath(pattern: scratch.path("core.%p"), usesPID: false, pid: 42, signal: 11)
    #expect(path?.files(since: time(nil) + 3600) == [], "an older file")
  }

  private static let writesFiles: Bool = {
    let pattern = (try? String(contentsOfFile: "/proc/sys/kernel/core_pattern", encoding: .utf8)) ?? "|"
    return !pattern.hasPrefix("|") && !pattern.hasPrefix("/")
  }()

  @Test(.enabled(if: writesFiles)) func runNamesTheCoreFile() throws {
    try FileManager.default.createDirectory(atPath: scratch.path("work"), withIntermediateDirectories: true)
    func run(_ limit: String) throws -> Command.Result {
      let script = "cd '\(scratch.path("work"))' && ulimit -c \(limit) && exec \"$@\""
      return try Command.run(
        "/bin/sh",
        ["-c", script, "sh", Command.crashsym, "run", "--output", scratch.path("reports"), "--"]
          + ["/bin/sh", "-c", "kill -SEGV $$"],
        environment: ["CRASHKIT_OPTIONS": "enable=no"])
    }
    let dumped = try run("unlimited")
    #expect(dumped.status == -SIGSEGV)
    let core = try #require(try FileManager.default.contentsOfDirectory(atPath: scratch.path("work")).first)
    #expect(dumped.errors.contains("crashsym: the core file is \(core); read it with: crashsym \(core)\n"), "\(dumped)")
    // It stays, and is of another process now.
    let other = try run("0")
    #expect(other.status == -SIGSEGV && !other.errors.contains("core file"), "\(other)")
  }
}
