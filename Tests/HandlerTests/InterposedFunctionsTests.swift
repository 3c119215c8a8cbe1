import Foundation
import Testing

/// The table of the functions that CrashKit stands in for, against what programs are given and what the page says.
struct InterposedFunctionsTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private func listed() throws -> Set<String> {
    let table = Self.root.appending(path: "Sources/Capture/CProcessHooks/interposed_by_crashkit.def")
    let text = try String(contentsOf: table, encoding: .utf8)
    let names = text.matches(of: /(?m)^(?:FORWARDED\(.+, |NEWER\(.+, |ANSWERED\()(\w+)\)$/).map { String($0.1) }
    #expect(names.count > 40)
    return Set(names)
  }

  @Test(
    .enabled(if: SymbolList.isPossible),
    .enabled(
      if: FileManager.default.fileExists(atPath: SignalSafetyTests.preloadLibrary), "the preload library is not built"))
  func thePreloadLibraryHasEachAndNoOther() throws {
    let symbols = try SymbolList(of: SignalSafetyTests.preloadLibrary, "--dynamic", "--defined-only").symbols
    let functions = symbols.filter { ["T", "W"].contains($0.type) }.map(\.name)
    let theirs = Set(functions.filter { !$0.hasPrefix("crashkit_") })
    #expect(theirs.symmetricDifference(try listed()).sorted() == [])
  }

  /// The program's own function of that name would come first. A sanitizer's calls this one again, and so for ever.
  @Test(
    .enabled(if: FileManager.default.isExecutableFile(atPath: readelf)),
    .enabled(
      if: FileManager.default.fileExists(atPath: SignalSafetyTests.preloadLibrary), "the preload library is not built"))
  func noInterposedFunctionCallsAnotherByName() throws {
    let relocations = try SignalSafetyTests.output(
      of: Self.readelf, ["--relocs", "--wide", SignalSafetyTests.preloadLibrary])
    let named = Set(relocations.matches(of: /(?m) ([A-Za-z_]\w*)(?:@\S+)? \+ 0$/).map { String($0.1) })
    #expect(named.contains("mmap"))
    #expect(named.intersection(try listed()).sorted() == [])
  }

  private static let readelf = "/usr/bin/readelf"

  @Test func thePageNamesEachAndNoOther() throws {
    let page = try String(contentsOf: Self.root.appending(path: "Docs/architecture.md"), encoding: .utf8)
    let start = try #require(page.range(of: "\n## What is interposed\n")).upperBound
    let table = try #require(page[start...].range(of: "\n|")).lowerBound
    let end = try #require(page[table...].range(of: "\n\n")).lowerBound
    let cells = page[table..<end].matches(of: /(?m)^\| (`[^|]+) \|/).map { String($0.1) }
    let named = Set(cells.flatMap { $0.matches(of: /`(\w+)`/).map { String($0.1) } })
    #expect(named.symmetricDifference(try listed()).sorted() == [])
  }
}
