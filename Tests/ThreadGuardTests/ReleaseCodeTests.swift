import Foundation
import Testing

/// The C of a build without checks, which a program's release build has.
@Suite struct ReleaseCodeTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private func cFiles(_ folder: String) throws -> [String] {
    let folder = Self.root.appending(path: folder).path
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".c") }
    return names.map { folder + "/" + $0 }
  }

  /// The library, and a program of C with it. ReleaseBinaryTests builds a whole package, which takes minutes.
  @Test(arguments: [["-fPIC", "-shared", "-Wl,-z,defs"], ["-pthread"]])
  func nothingIsMissing(_ options: [String]) throws {
    let program = options.contains("-shared") ? [] : ["Tests/LockProbe"]
    let folders = ["Locks/CThreadGuard", "Ground/CGround", "Ground/CReportParts", "Ground/CSecrets"]
      .map { "Sources/\($0)" }
    let files = try (folders + program).flatMap(cFiles)
    try #require(files.count > 100)
    let headers =
      ["CGround", "CRendezvous", "CReportParts", "CSecrets"].map { "Ground/\($0)/include" }
      + ["Locks/CThreadGuard", "Locks/CThreadGuard/include"]
    let includes = headers.map { "-I\(Self.root.path)/Sources/\($0)" }
    let output = FileManager.default.temporaryDirectory.appending(path: "release-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: output) }
    let compiler = #"exec "$(dirname "$(readlink -f "$(command -v swift)")")/clang" "$@""#
    let run = try ProgramRun(
      "/bin/sh",
      ["-c", compiler, "clang", "-std=gnu17", "-D_GNU_SOURCE", "-o", output.path] + options + includes + files,
      seconds: 300)
    #expect(run.status == 0, "\(run.errors.suffix(2000))")
  }
}
