import Foundation
import Testing

extension EndToEnd {
  /// The preload library goes into programs that have nothing of Swift about them.
  @Suite struct PreloadLibraryTests {
    private let library = Products.folder.appending(path: "libCrashKitPreload.so").path

    @Test func needsTheCLibraryAndTheLoaderOnly() throws {
      let readelf = try #require(Products.onPath("readelf"))
      let run = try ProgramRun.run([readelf, "--dynamic", "--wide", library])
      try #require(run.end == .exited(0), Comment(rawValue: run.standardError))
      let needed = run.standardOutput.split(separator: "\n").filter { $0.contains("(NEEDED)") }
        .compactMap { line in line.split(separator: "[").last?.split(separator: "]").first.map(String.init) }
      #expect(!needed.isEmpty)
      // glibc 2.31 has a part of its functions in two more libraries, which are empty since 2.34.
      let allowed: Set = [
        "libc.so.6", "libdl.so.2", "libpthread.so.0", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1",
      ]
      #expect(Set(needed).subtracting(allowed).isEmpty, "it needs \(needed)")
    }

    @Test(arguments: ["libCrashKitPreload.so", "libThreadGuardPreload.so", "libCrashKitGuardPreload.so"])
    func loadsWithGlibc231(_ name: String) throws {
      let readelf = try #require(Products.onPath("readelf"))
      let run = try ProgramRun.run([
        readelf, "--version-info", "--wide", Products.folder.appending(path: name).path,
      ])
      try #require(run.end == .exited(0), Comment(rawValue: run.standardError))
      let versions = run.standardOutput.matches(of: /Name: GLIBC_2\.(\d+)/).compactMap { Int($0.1) }
      #expect(!versions.isEmpty)
      #expect(versions.filter { $0 > 31 } == [], "it needs glibc 2.\(versions.max() ?? 0)")
    }

    @Test func replacesNoUnwinder() throws {
      let nm = try #require(Products.onPath("nm"))
      let run = try ProgramRun.run([nm, "--dynamic", "--defined-only", "--format=posix", library])
      try #require(run.end == .exited(0), Comment(rawValue: run.standardError))
      let names = run.standardOutput.split(separator: "\n").compactMap { $0.split(separator: " ").first }
      #expect(!names.isEmpty)
      for prefix in ["unw_", "_U", "swift_", "$s"] {
        #expect(!names.contains { $0.hasPrefix(prefix) }, "\(names)")
      }
    }
  }
}
