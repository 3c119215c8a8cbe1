import CCrashCapture
import Foundation
import Testing

/// Files that are not what a process left: every reader must survive them, and must never show what nobody recorded.
@Suite struct DamagedRegionTests {
  let whole: RegionBytes
  let truth: Set<Crumb>

  init() throws {
    let probe = try Probe()
    _ = try probe.run("records", ["4096", "300"])
    whole = try probe.onlyRegion()
    truth = Set(try #require(whole.contents()).crumbs)
    try #require(truth.count > 20)
  }

  private var data: [UInt8] { Array(UnsafeRawBufferPointer(start: whole.base, count: whole.count)) }

  private func expectNothingWrong(_ contents: RegionContents, _ comment: Comment) -> Int {
    #expect(truth.isSuperset(of: contents.crumbs), comment)
    for (key, value) in contents.attributes {
      #expect(["tenant": "blue", "db_password": "***"][key] == value, comment)
    }
    for (name, metric) in contents.metrics {
      #expect(name == "cpu.load" && (!metric.has_value || metric.value == 0.5), comment)
    }
    return contents.crumbs.count
  }

  @Test func cutAtEveryByte() throws {
    let data = data
    var shown = 0
    let ringOffset = data.count - 4096
    // Tables byte by byte would take long: around each page, and every 61st.
    let lengths = (0...data.count).filter { $0 < 400 || $0 >= ringOffset || $0 % 4096 < 16 || $0 % 61 == 0 }
    for length in lengths {
      guard let contents = RegionBytes(data.prefix(length)).contents() else {
        #expect(length < 400, "cut at \(length)")
        continue
      }
      let count = expectNothingWrong(contents, "cut at \(length)")
      if length < ringOffset { #expect(count == 0) }
      shown = max(shown, count)
    }
    #expect(shown == truth.count)
  }

  @Test func everyByteOfTheRingChanged() throws {
    var data = data
    var lost = 0
    for offset in (data.count - 4096)..<data.count {
      let original = data[offset]
      data[offset] = original ^ UInt8(1 + offset % 255)
      let contents = try #require(RegionBytes(data).contents())
      let count = expectNothingWrong(contents, "changed at \(offset)")
      if count < truth.count { lost += 1 }
      data[offset] = original
    }
    // Nearly every byte belongs to a record, so nearly every change must be noticed.
    #expect(lost > 3000)
  }

  @Test func everyByteOfTheHeaderChanged() {
    var data = data
    for offset in 0..<400 {
      let original = data[offset]
      for change in [UInt8(1), 0x80, 0xff] {
        data[offset] = original ^ change
        if let contents = RegionBytes(data).contents() { _ = expectNothingWrong(contents, "changed at \(offset)") }
      }
      data[offset] = original
    }
  }

  @Test func everyByteOfTheTablesChanged() throws {
    var data = data
    var lost = 0
    // The first metric, and the first two attributes.
    for offset in Array(4096..<4096 + 384) + Array(28672..<28672 + 2 * 1280) {
      let original = data[offset]
      data[offset] = original ^ UInt8(1 + offset % 255)
      let contents = try #require(RegionBytes(data).contents())
      _ = expectNothingWrong(contents, "changed at \(offset)")
      if contents.attributes.count < 2 || contents.metrics["cpu.load"]?.has_value != true { lost += 1 }
      data[offset] = original
    }
    #expect(lost > 1000)
  }

  @Test func noise() throws {
    var generator = SystemRandomNumberGenerator()
    var data = data
    for _ in 0..<200 {
      for offset in 4096..<data.count where offset % 8 == 0 {
        withUnsafeBytes(of: generator.next()) { data.replaceSubrange(offset..<offset + 8, with: $0) }
      }
      let contents = try #require(RegionBytes(data).contents())
      #expect(contents.crumbs.isEmpty && contents.attributes.isEmpty && contents.metrics.isEmpty)
    }
  }

  @Test func notARegion() {
    #expect(RegionBytes([]).contents() == nil)
    #expect(RegionBytes([UInt8](repeating: 0, count: 200_000)).contents() == nil)
    #expect(RegionBytes([UInt8](repeating: 0xff, count: 200_000)).contents() == nil)
  }
}
