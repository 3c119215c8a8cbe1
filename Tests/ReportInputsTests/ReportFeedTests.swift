import CrashReportModel
import CrashReportReading
import Foundation
import Synchronization
import Testing

@testable import ReportInputs

@Suite struct ReportFeedTests {
  private let files: TemporaryFiles

  init() throws { files = try TemporaryFiles() }

  private struct Piece: Equatable {
    var place: String
    var number: Int?
    var error: String?
  }

  private func read(_ paths: String...) -> [Piece] {
    let sources = InputFormats()
    let pieces = Mutex([Piece]())
    ReportFeed(sources, width: 4).read(ReportFiles(paths, sources)) { place, found in
      switch found {
      case .success(let report):
        Piece(place: place.text, number: report.fields["number"].flatMap(Int.init(json:)))
      case .failure(let error): Piece(place: place.text, error: error.what)
      }
    } handOn: { piece in
      pieces.withLock { $0.append(piece) }
    }
    return pieces.withLock { $0 }
  }

  @Test func reportsComeInTheOrderOfTheInputsWithTheirPlaces() throws {
    let one = try files.write(report(1), to: "one.json")
    let lines = try files.write([report(2), "", "none", report(3)].joined(separator: "\n"), to: "lines.jsonl")
    let log = try files.write("a log\n\(report(4))\nand more\n\(report(5))\n", to: "two.log")
    #expect(
      read(one, "/no/such.json", lines, log) == [
        Piece(place: one, number: 1),
        Piece(place: "/no/such.json", error: "no such file"),
        Piece(place: "\(lines), line 1", number: 2),
        Piece(place: "\(lines), line 3", error: "not a report: no JSON object"),
        Piece(place: "\(lines), line 4", number: 3),
        Piece(place: "\(log), report 1", number: 4),
        Piece(place: "\(log), report 2", number: 5),
      ])
  }

  /// What `crashsym FILE` says of a damaged core, every other command says too.
  @Test func aCoreFileIsReadAsOne() throws {
    let core = try files.write(elfStart(type: 4), to: "core")
    let pieces = read(core)
    #expect(pieces.count == 1)
    #expect(pieces.first?.error?.hasPrefix("a core file without a thread in it") == true, "\(pieces)")
  }

  @Test func aPipeIsNotOpenedForItsLines() throws {
    let path = files.folder + "/pipe.jsonl"
    try #require(mkfifo(path, 0o600) == 0)
    #expect(read(path) == [Piece(place: path, error: "cannot be opened: not a file")])
    #expect(
      read("/no/such.jsonl") == [Piece(place: "/no/such.jsonl", error: "cannot be opened: No such file or directory")])
  }
}
