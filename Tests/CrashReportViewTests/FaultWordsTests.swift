import CrashReportModel
import Testing

@testable import CrashReportView

/// What the memory map says of a crash, in words.
@Suite struct FaultWordsTests {
  private func text(_ fault: String) throws -> String? {
    FaultWords(fault: .init(fields: try JSONParser.parse(Array(fault.utf8)).object)).text
  }

  private static let heap =
    #"{"start":"0x0000000000200000","end":"0x0000000000201000","permissions":"rw-p","path":"[heap]"}"#
  private static let code =
    #"{"start":"0x0000000000400000","end":"0x0000000000401000","permissions":"r-xp","path":"/srv/api"}"#

  @Test(arguments: [
    (#"{"of":"faultAddress","address":"0x0000000000000008","above":HEAP}"#, nil),
    (#"{"of":"programCounter","address":"0x0000000000400010","mapping":CODE}"#, nil),
    (#"{"of":"stackPointer","address":"0x0000000000200010","mapping":HEAP}"#, nil),
    (
      #"{"of":"faultAddress","address":"0x0000000000201010","below":HEAP,"above":CODE}"#,
      "the fault address is unmapped, 16 bytes behind [heap] (rw-p, 0x0000000000200000–0x0000000000201000)"
    ),
    (
      #"{"of":"faultAddress","address":"0x00000000003ffff0","below":HEAP,"above":CODE}"#,
      "the fault address is unmapped, 16 bytes before /srv/api (r-xp, 0x0000000000400000–0x0000000000401000)"
    ),
    (
      #"{"of":"faultAddress","address":"0x0000000000400010","mapping":CODE}"#,
      "the fault address is in /srv/api (r-xp, 0x0000000000400000–0x0000000000401000)"
    ),
    (
      #"{"of":"programCounter","address":"0x0000000000200010","mapping":HEAP}"#,
      "the program counter is in [heap] (rw-p, 0x0000000000200000–0x0000000000201000)"
    ),
    (#"{"of":"programCounter","address":"0x0000000000200010"}"#, "the program counter is unmapped"),
  ]) func aPlaceIsNamedIfItIsOdd(_ row: (place: String, words: String?)) throws {
    let place = row.place.replacing("HEAP", with: Self.heap).replacing("CODE", with: Self.code)
    #expect(try text(#"{"places":[\#(place)]}"#) == row.words)
  }

  @Test func aStackPointerElsewhere() throws {
    let place = #"{"of":"stackPointer","address":"0x0000000000200010","mapping":\#(Self.heap)}"#
    let words = try text(#"{"places":[\#(place)],"leftStack":\#(Self.code)}"#)
    #expect(
      words
        == "the stack pointer is outside the thread's stack, 0x0000000000400000–0x0000000000401000: it is in [heap] "
        + "(rw-p, 0x0000000000200000–0x0000000000201000)")
  }

  /// The fault is that of the stack pointer, and said once.
  @Test func anOverflow() throws {
    let above = #""above":\#(Self.heap)"#
    let places = [
      #"{"of":"faultAddress","address":"0x00000000001ffff8",\#(above)}"#,
      #"{"of":"stackPointer","address":"0x00000000001ffff0",\#(above)}"#,
    ]
    let words = try #require(try text(#"{"places":[\#(places.joined(separator: ","))],"leftStack":\#(Self.heap)}"#))
    #expect(words.hasPrefix("the stack pointer is outside the thread's stack") && !words.contains("fault address"))
  }

  @Test func theAddressOfATrapIsTheProgramCounter() throws {
    let places = ["faultAddress", "programCounter"].map {
      #"{"of":"\#($0)","address":"0x0000000000400010","mapping":\#(Self.code)}"#
    }
    #expect(try text(#"{"places":[\#(places.joined(separator: ","))]}"#) == nil)
  }

  @Test func hostileNumbers() throws {
    let mapping = #"{"start":"0xffffffffffffffff","end":"0x0000000000000000"}"#
    let place = #"{"of":"faultAddress","address":"0xffffffffffffffff","below":\#(mapping),"above":\#(mapping)}"#
    #expect(try text(#"{"places":[\#(place)]}"#)?.hasPrefix("the fault address is unmapped") == true)
  }
}
