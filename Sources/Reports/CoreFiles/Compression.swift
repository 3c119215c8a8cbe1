import CrashReportReading

/// What systemd-coredump compresses cores with: zstd, on older distributions xz or lz4.
enum Compression: String, CaseIterable {
  case zstd, xz, lz4

  /// The compression that these first bytes of a file are of.
  init?(_ start: [UInt8]) {
    guard let found = Self.allCases.first(where: { start.starts(with: $0.mark) }) else { return nil }
    self = found
  }

  private var mark: [UInt8] {
    switch self {
    case .zstd: [0x28, 0xb5, 0x2f, 0xfd]
    case .xz: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]
    case .lz4: [0x04, 0x22, 0x4d, 0x18]
    }
  }

  /// The command that decompresses a file.
  private var command: String {
    switch self {
    case .zstd: "zstd -dk"
    case .xz: "xz -dk"
    case .lz4: "lz4 -dk"
    }
  }

  private var decoder: (any Decoder)? {
    switch self {
    case .zstd: ZstdDecoder()
    case .xz: XzDecoder()
    case .lz4: LZ4Decoder()
    }
  }

  /// What the file is when it is decompressed.
  ///
  /// - Throws: `ReadingError` if nothing here can decompress it.
  func stream(_ descriptor: Int32) throws(ReadingError) -> DecompressedStream {
    if let decoder { return DecompressedStream(descriptor, decoder) }
    throw ReadingError(.notAReport, "compressed with \(rawValue); decompress it first: \(command) FILE")
  }

  /// The first 64 bytes that are in the file, fewer if it has fewer.
  ///
  /// - Throws: `ReadingError` if the file is damaged before, or ends.
  func head(of descriptor: Int32) throws(ReadingError) -> [UInt8] {
    let stream = try stream(descriptor)
    var start: [UInt8] = []
    while start.count < 64 {
      guard let piece = stream.next() else { throw damaged(stream.damage) }
      if piece.isEmpty {
        if !stream.isWhole { throw damaged("ends too early") }
        break
      }
      start += piece.prefix(64)
    }
    return Array(start.prefix(64))
  }

  private func damaged(_ how: String) -> ReadingError {
    ReadingError(.notAReport, "compressed with \(rawValue), but its compressed data \(how)")
  }

  /// What is wrong with a file that holds something else than a core.
  var lacksCore: ReadingError {
    ReadingError(
      .notAReport,
      "compressed with \(rawValue), but crashsym decompresses only core files; decompress it first: \(command) FILE")
  }
}
