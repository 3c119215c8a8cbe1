import CrashReportModel
import Foundation
import Testing

@testable import CrashReportView

/// `Scripts/checks/formats.py` reads profiles with `go tool pprof`.
@Suite struct PprofTests {
  /// The examples of the encoding's own documentation (https://protobuf.dev/programming-guides/encoding/).
  @Test func messagesAreEncodedAsDocumented() {
    #expect(ProtobufMessage { $0.add(1, 150) }.bytes == [0x08, 0x96, 0x01])
    #expect(ProtobufMessage { $0.add(2, "testing") }.bytes == [0x12, 0x07] + Array("testing".utf8))
    #expect(ProtobufMessage { $0.add(3, ProtobufMessage { $0.add(1, 150) }) }.bytes == [0x1A, 0x03, 0x08, 0x96, 0x01])
    #expect(
      ProtobufMessage { $0.add(6, packed: [3, 270, 86942]) }.bytes == [0x32, 6, 0x03, 0x8E, 0x02, 0x9E, 0xA7, 0x05])
    #expect(ProtobufMessage { $0.add(1, -2) }.bytes == [0x08, 0xFE] + Array(repeating: 0xFF, count: 8) + [0x01])
    #expect(ProtobufMessage { $0.add(1, 0) }.bytes.isEmpty)
    #expect(ProtobufMessage { $0.add(6, "") }.bytes == [0x32, 0])
  }

  @Test(arguments: [0, 1, 0xFFFF, 0x10000, 200_000]) func gzipReadsWhatIsStored(_ count: Int) throws {
    let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let gunzip = Process()
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "content.gz")
    try Data(Gzip.stored(content)).write(to: file)
    gunzip.executableURL = URL(filePath: "/usr/bin/gzip")
    gunzip.arguments = ["-d", file.path]
    try gunzip.run()
    gunzip.waitUntilExit()
    #expect(gunzip.terminationStatus == 0)
    #expect(try [UInt8](Data(contentsOf: folder.appending(path: "content"))) == content)
  }

  @Test func hostileReportsHaveHarmlessTexts() throws {
    let bytes = PprofFile.bytes(of: [try HostileReport.report(), CrashReport()])
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(text.contains("SCRIPTED") && !text.contains("\u{1B}[31m"))
  }
}
