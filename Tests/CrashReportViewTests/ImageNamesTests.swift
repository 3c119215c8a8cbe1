import CrashReportModel
import CrashReportReading
import Testing

@testable import CrashReportView

@Suite struct ImageNamesTests {
  private func names(_ images: [(String, UInt64, UInt64?)]) throws -> ImageNames {
    let list = images.map { (name: String, base: UInt64, end: UInt64?) -> String in
      let end = end.map { #","endOfText":"0x\#(String($0, radix: 16))""# } ?? ""
      return #"{"name":"\#(name)","baseAddress":"0x\#(String(base, radix: 16))"\#(end)}"#
    }
    let json =
      #"{"schema":"crashkit/1","kind":"crashReport","timestamp":"2026-11-22T00:00:00.000Z","threads":[],"images":["#
      + list.joined(separator: ",") + "]}"
    return ImageNames(try #require(try ReportReader.read(Array(json.utf8)).first))
  }

  private func place(_ names: ImageNames, _ address: UInt64, image: String? = nil) -> String {
    var frame = CrashReport.Frame(fields: JSONObject())
    frame.address = Address(address)
    frame.image = image
    return names.place(of: frame)
  }

  @Test func theImageThatBeginsLastHasTheAddress() throws {
    let names = try names([("outer", 0x100, 0x900), ("inner", 0x200, 0x2ff), ("after", 0x1000, 0x10ff)])
    #expect(place(names, 0x50) == "0x0000000000000050")
    #expect(place(names, 0x100) == "outer+0x0")
    #expect(place(names, 0x2ff) == "inner+0xff")
    #expect(place(names, 0x300) == "outer+0x200")
    #expect(place(names, 0x901) == "0x0000000000000901")
    #expect(place(names, 0x1010) == "after+0x10")
    #expect(place(names, 0x210, image: "outer") == "outer+0x110")
    #expect(place(names, 0x50, image: "outer") == "0x0000000000000050")
  }

  @Test func anImageWithoutAnEndReachesToTheNext() throws {
    let names = try names([("a", 0x100, nil), ("b", 0x200, 0x2ff)])
    #expect(place(names, 0x250) == "b+0x50")
    #expect(place(names, 0x300) == "a+0x200")
    #expect(place(names, .max) == "a+0xfffffffffffffeff")
  }

  /// A summary in a log says nothing of where images are.
  @Test func anAddressInASummaryHasNoImage() throws {
    let two = try names([("api", 0, nil), ("libc.so.6", 0, nil)])
    #expect(place(two, 0x4141_4141) == "0x0000000041414141")
    #expect(place(two, 0x40, image: "unlisted") == "0x0000000000000040")
    #expect(place(two, 0x40, image: "api") == "api+0x40")
    let one = try names([("api", 0, nil)])
    #expect(place(one, 0x40, image: "unlisted") == "0x0000000000000040")
    #expect(place(one, 0x40) == "api+0x40")
  }
}
