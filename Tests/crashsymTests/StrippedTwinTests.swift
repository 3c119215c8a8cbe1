import Foundation
import Testing

/// Two reports of one build: one host keeps the program with its debug information, the other a stripped one. What each
/// report shows must not depend on the other, nor on their order.
@Suite struct StrippedTwinTests {
  private let scratch = try! Scratch()
  private static let base = 0x5555_5555_4000

  private static let source = """
    static int read_price(int *price) { return *price; }
    int total(int *prices) { return read_price(prices) + 1; }
    int main(int count, char **words) { return total(count > 5 ? &count : 0); }
    """

  /// A report of a crash in `read_price`, whose program lies in the folder.
  private func report(_ folder: String, _ buildID: String, _ frames: [Int]) throws -> String {
    let entries = frames.enumerated().map { index, address in
      #"{"kind":"\#(index == 0 ? "programCounter" : "returnAddress")","address":"\#(Self.hex(Self.base + address))"}"#
    }
    let image =
      #"{"name":"api","buildId":"\#(buildID)","path":"\#(scratch.path(folder))/api","#
      + #""baseAddress":"\#(Self.hex(Self.base))","endOfText":"\#(Self.hex(Self.base + 0x2000))"}"#
    let text =
      #"{"schema":"crashkit/1","timestamp":"2026-11-20T08:00:00Z","kind":"crashReport","#
      + #""platform":"Linux","architecture":"x86_64","process":{"pid":1,"name":"api"},"#
      + #""signal":{"number":11,"name":"SIGSEGV"},"cause":"null pointer dereference","images":[\#(image)],"#
      + #""threads":[{"id":1,"crashed":true,"frames":[\#(entries.joined(separator: ","))]}]}"#
    return try scratch.write(text, to: "\(folder)/report.json")
  }

  private static func hex(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return "0x" + String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// The two reports: of the whole program and of the stripped one.
  private func reports() throws -> (whole: String, stripped: String) {
    for folder in ["whole", "stripped"] {
      try FileManager.default.createDirectory(atPath: scratch.path(folder), withIntermediateDirectories: true)
    }
    let source = try scratch.write(Self.source, to: "api.c")
    let whole = scratch.path("whole/api")
    try #require(try Command.run("gcc", ["-g", "-O0", "-Wl,--build-id=sha1", source, "-o", whole]).status == 0)
    try #require(try Command.run("strip", ["--strip-all", "-o", scratch.path("stripped/api"), whole]).status == 0)
    let notes = try Command.run("readelf", ["-n", whole]).output
    let id = String(try #require(notes.firstMatch(of: /Build ID: ([0-9a-f]+)/)).1)
    let symbols = try Command.run("nm", [whole]).output
    let frames = try ["read_price", "total", "main"].map { name in
      let line = try #require(symbols.split(separator: "\n").first { $0.hasSuffix(" \(name)") })
      return try #require(Int(line.split(separator: " ")[0], radix: 16)) + 8
    }
    return (try report("whole", id, frames), try report("stripped", id, frames))
  }

  private struct Line: Decodable {
    struct Fingerprint: Decodable { var value: String }
    struct Thread: Decodable {
      struct Frame: Decodable { var symbol: String? }
      var frames: [Frame]
    }
    var fingerprint: Fingerprint
    var threads: [Thread]
    var seen: [String] { [fingerprint.value] + threads[0].frames.map { $0.symbol ?? "-" } }
  }

  private func seen(_ arguments: [String]) throws -> [[String]] {
    let result = try Command.run(Command.crashsym, arguments)
    try #require(result.status == 0, "\(result.errors)")
    return try result.output.split(separator: "\n").map {
      try JSONDecoder().decode(Line.self, from: Data($0.utf8)).seen
    }
  }

  @Test(arguments: [["--format", "json"], ["stream"]]) func eachReportIsReadByItsOwnFile(_ command: [String]) throws {
    let (whole, stripped) = try reports()
    let alone = try [whole, stripped].map { try seen(command + [$0]) }
    #expect(alone[0][0].dropFirst() == ["read_price", "total", "main"])
    #expect(alone[1][0].dropFirst().allSatisfy { $0 != "read_price" }, "the stripped program names it by itself")
    #expect(alone[0][0][0] != alone[1][0][0])
    for order in [[0, 1], [1, 0], [1, 0, 1], [0, 1, 0], [1, 1, 0, 0]] {
      let files = order.map { [whole, stripped][$0] }
      #expect(try seen(command + files) == order.map { alone[$0][0] }, "\(order)")
    }
  }

  @Test func groupsDoNotDependOnTheOrder() throws {
    let (whole, stripped) = try reports()
    func groups(_ files: [String]) throws -> [String] {
      let result = try Command.run(Command.crashsym, ["group", "--format", "json"] + files)
      try #require(result.status == 0, "\(result.errors)")
      return result.output.matches(of: /"fingerprint":"?[^,}]*/).map { String($0.0) }.sorted()
    }
    let first = try groups([whole, stripped])
    #expect(Set(first).count == 2)
    #expect(try groups([stripped, whole]) == first)
    #expect(try groups([stripped, whole, stripped]) == first)
  }
}
