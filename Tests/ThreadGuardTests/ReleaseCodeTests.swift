import Foundation
import Testing

/// The C of a build without checks, which a program's release build has.
@Suite struct ReleaseCodeTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private func cFiles(_ target: String) throws -> [String] {
    let folder = Self.root.appending(path: "Sources/\(target)").path
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".c") }
    return names.map { folder + "/" + $0 }
  }

  /// ReleaseBinaryTests builds a whole program, which takes minutes.
  @Test func nothingIsMissing() throws {
    let files = try ["Locks/CThreadGuard", "Ground/CGround", "Ground/CReportParts"].flatMap(cFiles)
    try #require(files.count > 100)
    let headers =
      ["CGround", "CRendezvous", "CReportParts"].map { "Ground/\($0)/include" }
      + ["Locks/CThreadGuard", "Locks/CThreadGuard/include"]
    let folders = headers.map { "-I\(Self.root.path)/Sources/\($0)" }
    let library = FileManager.default.temporaryDirectory.appending(path: "release-\(UUID().uuidString).so")
    defer { try? FileManager.default.removeItem(at: library) }
    let compiler = #"exec "$(dirname "$(readlink -f "$(command -v swift)")")/clang" "$@""#
    let run = try ProgramRun(
      "/bin/sh",
      ["-c", compiler, "clang", "-std=gnu17", "-D_GNU_SOURCE", "-fPIC", "-shared", "-Wl,-z,defs", "-o", library.path]
        + folders + files, seconds: 300)
    #expect(run.status == 0, "\(run.errors.suffix(2000))")
  }
}
