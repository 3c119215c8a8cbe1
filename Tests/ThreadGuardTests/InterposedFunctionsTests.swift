import Foundation
import Testing

/// The table of interposed functions against what programs are given.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/nm")))
struct InterposedFunctionsTests {
  /// The functions of the table, by the names that programs call.
  private func listed() throws -> Set<String> {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let table = root.appending(path: "Sources/Locks/CThreadGuard/interposed_by_threadguard.def")
    let text = try String(contentsOf: table, encoding: .utf8)
    let pthread = text.matches(of: /(?m)^(?:TAKES|GIVES|OTHER)\((\w+),/).map { "pthread_\($0.1)" }
    let whole = text.matches(of: /(?m)^(?:SEMAPHORE\(|DISPATCH\([^,]*, )(\w+),/).map { String($0.1) }
    let swift = text.matches(of: /(?m)^SYNCHRONIZATION\(\w+, "([^"]+)"/).map { String($0.1) }
    return Set(pthread + whole + swift)
  }

  @Test func thePreloadLibraryHasEachAndNoOther() throws {
    let library = ProgramRun.products.appending(path: "libThreadGuardPreload.so").path()
    let run = try ProgramRun("/usr/bin/nm", ["--dynamic", "--defined-only", library], seconds: 60)
    let symbols: [[Substring]] = run.lines.map { $0.split(separator: " ") }
    let weak: [String] = symbols.filter { $0.count == 3 && $0[1] == "W" }.map { String($0[2]) }
    let table = try listed()
    #expect(table.count > 50)
    #expect(Set(weak).symmetricDifference(table).sorted() == [])
  }
}
