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
      let allowed: Set = ["libc.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"]
      #expect(Set(needed).subtracting(allowed).isEmpty, "it needs \(needed)")
    }

    @Test func standsInFrontOfNobodysUnwinder() throws {
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
