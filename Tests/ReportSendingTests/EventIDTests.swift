import Testing

@testable import ReportSending

@Suite struct EventIDTests {
  /// The values of the algorithm's authors.
  @Test(arguments: [
    ("", "6c62272e07bb014262b821756295c58d"), ("a", "d228cb696f1a8caf78912b704e4a8964"),
    ("foobar", "343e1662793c64bf6f0d3597ba446f18"),
  ])
  func isFNV1aOf128Bits(_ text: String, _ id: String) {
    #expect(EventID(of: text.utf8).text == id)
  }

  @Test func isReadAgain() throws {
    let id = EventID(of: "report".utf8)
    #expect(EventID(id.text) == id)
    #expect(id.uuid.split(separator: "-").map(\.count) == [8, 4, 4, 4, 12])
    for wrong in ["", "0", String(repeating: "0", count: 32), String(repeating: "G", count: 32)] {
      #expect(EventID(wrong) == nil)
    }
  }
}
