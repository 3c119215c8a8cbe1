import CrashReportReading
import Foundation
import Testing

@testable import ReportInputs

@Suite struct ReportFilesTests {
  private let sources = InputFormats()

  private func names(_ files: ReportFiles, below folder: String) -> [String] {
    files.files.map { String($0.path.dropFirst(folder.count + 1)) }
  }

  @Test func aFolderIsSearchedForEveryKindOfInput() throws {
    let files = try TemporaryFiles()
    for name in ["a.json", "deep/b.json", "notes.txt"] { _ = try files.write(report(1), to: name) }
    _ = try files.write(report(1), to: "lines.jsonl")
    _ = try files.write("", to: "1-2.spare")
    _ = try files.write(report(2), to: "3-4.spare")
    for name in ["core", "core.4711", "app.core"] { _ = try files.write(elfStart(type: 4), to: name) }
    // Named as cores are, and none: a source file, an executable.
    _ = try files.write("int x;", to: "core.c")
    _ = try files.write(elfStart(type: 2), to: "deep/core")
    let found = ReportFiles([files.folder], sources)
    #expect(
      names(found, below: files.folder) == [
        "3-4.spare", "a.json", "app.core", "core", "core.4711", "deep/b.json", "lines.jsonl",
      ])
    #expect(found.files.map(\.form).filter { $0 == .lines }.count == 1)
    #expect(found.failures.isEmpty)
  }

  @Test func namedFilesAreTakenAsTheyAre() {
    let found = ReportFiles(["-", "/no/such.txt", "/no/such.ndjson"], sources)
    #expect(found.files.map(\.path) == ["-", "/no/such.txt", "/no/such.ndjson"])
    #expect(found.files.map(\.form) == [.lines, .whole, .lines])
  }
}
