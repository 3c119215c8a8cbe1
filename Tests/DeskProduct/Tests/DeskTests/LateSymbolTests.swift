import CrashReportModel
import Foundation
import Symbolication
import Testing

@testable import DeskServer
@testable import DeskStore

/// A program with debug information, and where two of its functions lie.
private final class Program {
  let folder = TemporaryFolder()
  let buildID: String
  let functions: [String: UInt64]

  var path: String { folder.path + "/api" }

  init() throws {
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    try """
    #include <stdlib.h>
    __attribute__((noinline)) int book_price(int x) { abort(); return x + 1; }
    __attribute__((noinline)) int cart_total(int x) { abort(); return x + 2; }
    int main(int count, char **names) { return count > 1 ? book_price(count) : cart_total(count); }
    """.write(toFile: folder.path + "/api.c", atomically: true, encoding: .utf8)
    _ = try Self.run([
      "clang", "-g", "-O1", "-no-pie", "-Wl,--build-id", "-o", folder.path + "/api", folder.path + "/api.c",
    ])
    let notes = try Self.run(["readelf", "-n", folder.path + "/api"])
    buildID = try #require(notes.split(separator: "Build ID: ").last?.prefix { $0.isHexDigit }).description
    let rows = try Self.run(["nm", folder.path + "/api"]).split(separator: "\n").map { $0.split(separator: " ") }
    functions = Dictionary(
      rows.filter { $0.count == 3 }.compactMap { row in UInt64(row[0], radix: 16).map { (String(row[2]), $0) } },
      uniquingKeysWith: { first, _ in first })
  }

  private static func run(_ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A crash in one of its functions, without any name.
  func report(_ function: String, second: Int = 0) throws -> String {
    let address = Address(try #require(functions[function]) + 1)
    return reportText(function: "X", second: second).replacing(
      #""symbol":"X","offset":4,"description":"X","image":"api","system":false,"sourceLocation":{"file":"/src/Book.swift","line":7,"column":3}"#,
      with: #""image":"api""#
    )
    .replacing("0x0000000000401000", with: address.description)
    .replacing("0123456789abcdef0123456789abcdef01234567", with: buildID)
  }
}

struct LateSymbolTests {
  private static func sent(_ test: TestDesk, _ bytes: [UInt8], _ headers: [String: String] = [:]) async -> DeskAnswer {
    let type = ["Content-Type": "application/octet-stream"]
    return await test.answer("POST", "/api/symbols", bytes: bytes, type.merging(headers) { $1 })
  }

  @Test func namesReportsWhoseSymbolsComeLater() async throws {
    let program = try Program()
    let test = try TestDesk()
    var groups: [String] = []
    for (second, function) in ["book_price", "cart_total", "book_price"].enumerated() {
      groups.append(try #require(await test.send(program.report(function, second: second)).field("fingerprint")))
    }
    #expect(groups[0] == groups[2] && groups[0] != groups[1])
    #expect(try test.store.addNote("seen", to: groups[0], now: .now))
    #expect(try test.store.setState(.muted(until: nil), of: groups[0], now: .now))
    #expect(await !test.answer("GET", "/?q=book_price&state=all").text.contains("api+0x"))
    let file = Array(try Data(contentsOf: URL(fileURLWithPath: program.path)))
    let answer = await Self.sent(test, file)
    #expect(answer.status.code == 202 && answer.field("buildId") == program.buildID)
    // What is noted survives the end of the process.
    #expect(try test.store.notedSymbols() == [program.buildID])
    try await test.desk.late.fillIn()
    #expect(try test.store.notedSymbols().isEmpty)
    for group in groups { #expect(try test.store.group(group, now: .now) == nil) }
    let list = try test.store.groups(GroupQuery(now: .now)).groups
    #expect(list.map(\.title).sorted() == ["trap in book_price", "trap in cart_total"])
    let book = try #require(list.first { $0.title == "trap in book_price" })
    #expect(book.count == 2 && book.hosts == ["web-1"] && book.versions == ["1.0"] && book.state == .muted(until: nil))
    #expect(try test.store.notes(of: book.fingerprint).map(\.text) == ["seen"])
    #expect(await test.answer("GET", "/?q=book_price&state=all").text.contains(book.fingerprint))
    #expect(await Self.sent(test, file).status.code == 200)
    #expect(try test.store.notedSymbols().isEmpty)
    // What comes now is named at once.
    let next = await test.send(try program.report("book_price", second: 9))
    #expect(next.field("fingerprint") == book.fingerprint)
  }

  /// What is remembered is what the symbolicator says, in whatever portions it is asked for.
  @Test func remembersAddresses() throws {
    let program = try Program()
    let folder = TemporaryFolder()
    let tree = try DeskSymbols(folder.path) {
      Symbolicator(options: .init(symbolDirectories: [$0], debugDirectories: []))
    }
    _ = try tree.file(program.path)
    let digits = Array(program.buildID)
    let id = stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...($0 + 1)]), radix: 16) }
    let places = try ["book_price", "cart_total", "main"].map { name in
      (address: try #require(program.functions[name]) + 1 - 0x40_0000, kind: AddressKind.programCounter)
    }
    let cached = tree.symbolicator
    _ = cached.symbolicate(Array(places[..<1]), of: id, machine: nil)
    for _ in 0..<2 {
      let lookups = cached.symbolicate(places.reversed(), of: id, machine: nil).lookups
      #expect(lookups.map { $0.calls.last?.name } == ["main", "cart_total", "book_price"])
    }
  }

  @Test func refusesFilesWithoutSymbols() async throws {
    let test = try TestDesk()
    let program = try Program()
    let file = Array(try Data(contentsOf: URL(fileURLWithPath: program.path)))
    #expect(await Self.sent(test, Array("no ELF".utf8)).status.code == 422)
    #expect(await Self.sent(test, Array(file.prefix(200))).status.code == 422)
    #expect(await Self.sent(test, file, ["Content-Type": "application/json"]).status.code == 415)
    #expect(await Self.sent(test, file, ["Content-Encoding": "gzip"]).status.code == 415)
    var configuration = Desk.Configuration()
    configuration.symbolLimit = 1000
    let small = try TestDesk(configuration)
    #expect(await Self.sent(small, file).status.code == 413)
    _ = try test.tokens.make("api")
    #expect(await Self.sent(test, file).status.code == 401)
    for desk in [test, small] {
      #expect(try FileManager.default.contentsOfDirectory(atPath: desk.folder.path + "/symbols") == [])
    }
  }

  /// Another process ended while a file was sent.
  @Test func removesUnfinishedFiles() throws {
    let folder = TemporaryFolder()
    let make: @Sendable (String) -> Symbolicator = { _ in Symbolicator(options: .init(debugDirectories: [])) }
    let (path, descriptor) = try DeskSymbols(folder.path, make: make).newFile()
    close(descriptor)
    #expect(FileManager.default.fileExists(atPath: path))
    _ = try DeskSymbols(folder.path, make: make)
    #expect(!FileManager.default.fileExists(atPath: path))
  }
}
