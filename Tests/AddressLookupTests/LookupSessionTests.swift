import CrashReportReading
import Foundation
import Symbolication
import Testing

@testable import AddressLookup

@Suite struct LookupSessionTests {
  /// What a session writes and says.
  private final class Said {
    var answers = ""
    var notes: [String] = []

    var output: LookupOutput {
      LookupOutput(
        write: { bytes throws(ReadingError) in self.answers += String(decoding: bytes, as: UTF8.self) },
        note: { self.notes.append($0) })
    }
  }

  /// The program that runs this test: a binary that is there wherever the test runs.
  private static func binary() throws -> String {
    try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
  }

  private func session(_ said: Said) -> LookupSession {
    LookupSession(
      Symbolicator(options: .init(classifiesFunctions: false)), base: nil,
      LookupText(inlines: true, mangled: false, basenames: false), to: said.output)
  }

  @Test func badLinesAreAnsweredInOrder() throws {
    let binary = try Self.binary()
    let said = Said()
    var session = session(said)
    try session.answer(["\(binary) 0x1", "no address", "/no/such/file 0x2", "\"\(binary)\" 3"])
    #expect(said.answers.split(separator: "\n").count == 4)
    #expect(said.answers.hasPrefix("0x1: "))
    #expect(said.answers.contains("\n?? ??:0\n?? ??:0\n0x3: "))
    #expect(said.notes.contains("not a file followed by a hexadecimal address: no address"))
    #expect(said.notes.contains("no such file: /no/such/file"))
    #expect(session.status == 65)
  }

  @Test func aNamedBinaryTakesAddressesAlone() throws {
    let binary = try Self.binary()
    let said = Said()
    var session = session(said)
    try session.open(binary)
    try session.answer(["1", "zz"])
    #expect(said.answers.hasPrefix("0x1: ") && said.answers.hasSuffix("?? ??:0\n"))
    #expect(said.notes.last == "not a hexadecimal address: zz")
    #expect(session.status == 65)
  }

  @Test func filesThatAreNotBinariesAreRefused() {
    var session = session(Said())
    #expect { try session.open("/no/such/file") } throws: { ($0 as? ReadingError)?.kind == .noInput }
    #expect { try session.open("/proc/self/maps") } throws: { $0 is ReadingError }
  }

  @Test(
    arguments: [
      ("0x1f", 0x1F), ("1F", 0x1F), ("0X0", 0), ("ffffffffffffffff", UInt64.max), ("", nil), ("0x", nil), ("+1", nil),
      ("-1", nil), ("g", nil), ("10000000000000000", nil),
    ] as [(String, UInt64?)])
  func addressesAreHexadecimal(_ text: String, _ value: UInt64?) {
    #expect(HexadecimalAddress(text)?.value == value)
  }
}
