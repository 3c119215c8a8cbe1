import Glibc

/// A run of bytes inside a mapped file or a decompressed section; its source keeps the memory alive.
struct Bytes {
  let start: UnsafeRawPointer
  let count: Int

  /// A place to point to when there is nothing; never freed, never written.
  private nonisolated(unsafe) static let nothing = UnsafeRawPointer(
    UnsafeMutableRawPointer.allocate(byteCount: 8, alignment: 8).initializeMemory(as: UInt64.self, to: 0))

  static var empty: Bytes { Bytes(start: nothing, count: 0) }

  init(start: UnsafeRawPointer, count: Int) {
    self.start = start
    self.count = count
  }

  init(_ start: UnsafeRawPointer?, count: Int) {
    if let start, count > 0 {
      self.init(start: start, count: count)
    } else {
      self = .empty
    }
  }

  var isEmpty: Bool { count == 0 }

  /// The bytes from `offset` on; empty if the offset lies outside.
  func suffix(from offset: UInt64) -> Bytes {
    guard offset < UInt64(count) else { return .empty }
    return Bytes(start: start + Int(offset), count: count - Int(offset))
  }

  func prefix(_ length: UInt64) -> Bytes {
    Bytes(start: start, count: length < UInt64(count) ? Int(length) : count)
  }

  /// The NUL-terminated bytes at `offset` without the NUL, or nil if there is no NUL within the limit.
  func cString(at offset: UInt64, limit: Int = Limits.stringBytes) -> UnsafeRawBufferPointer? {
    let rest = suffix(from: offset)
    return memchr(rest.start, 0, min(rest.count, limit + 1)).map { end in
      UnsafeRawBufferPointer(start: rest.start, count: UnsafeRawPointer(end) - rest.start)
    }
  }

  /// The NUL-terminated string at `offset`; invalid UTF-8 becomes U+FFFD.
  func string(at offset: UInt64) -> String? {
    cString(at: offset).map { String(decoding: $0, as: UTF8.self) }
  }
}

/// What damaged or hostile files may cost at most.
enum Limits {
  static let stringBytes = 64 << 10
  /// A command that demangled this many names of symbols writes the index again for them alone.
  static let notedSymbols = 512
  /// Debug entries nested deeper than this end the reading of their unit.
  static let entryDepth = 2_048
  /// Functions and inlined calls kept for one file.
  static let functionsPerFile = 16 << 20
  /// Functions and inlined calls that are kept decoded; a unit that has more by itself is kept alone.
  static let decodedFunctions = 16 << 10
  static let rangesPerFile = 32 << 20
  static let rangesPerEntry = 1 << 20
  static let unitsPerFile = 1 << 20
  /// Units that do not say where their code is, looked into one after the other.
  static let unrangedUnits = 4 << 10
  /// Shapes of entries in one table, and those and their attributes in all tables that are kept.
  static let abbreviations = 64 << 10
  static let abbreviationsPerFile = 8 << 20
  /// Some attributes take no byte of an entry, but time.
  static let attributesPerEntry = 256
  /// Rows of the line tables that are kept decoded; of 16 bytes each.
  static let lineRowsPerFile = 8 << 20
  static let lineFiles = 1 << 20
  static let inlineDepth = 1_024
  /// Hops along abstract origins and specifications.
  static let originHops = 16
  /// Entries that are read to name one pointer, and hops along types.
  static let pointerEntries = 1 << 19
  static let typeHops = 32
  /// Ranges of all blocks and inlined calls of a function.
  static let scopeRanges = 64 << 10
  static let locationsPerList = 64 << 10
  /// Instructions of a function whose pointers' ways are followed, and loads along one way.
  static let flowInstructions = 8 << 10
  static let flowLoads = 8
  static let symbols = 16 << 20
  /// At most this many addresses are searched for from front to back. For more addresses, the table is sorted first.
  static let plainSearches = 4
  /// A smaller symbol table is put in order faster than it is read from an index.
  static let indexedSymbols = 8 << 10
  /// A compressed section may claim no more than zlib can make of its bytes.
  static let compressionRatio: UInt64 = 1_100

  /// What all compressed sections of a file may make together. Debug information shrinks to a fifth, hardly ever to a
  /// thirtieth.
  static func decompressedBytes(ofFile size: UInt64) -> UInt64 {
    min(max(size.multipliedReportingOverflow(by: 32).partialValue, 64 << 20), 2 << 30)
  }

  /// What liblzma may take for itself.
  static let decompressionMemory = UInt64(256) << 20
  /// A server's file may have at most this many bytes. Otherwise it could fill the disk until its time limit.
  static let downloadedBytes = 4 << 30
  /// How deep below a folder of symbols, and among how many files and folders in all, build IDs are read.
  static let symbolFolderDepth = 4
  static let symbolFiles = 10_000
}
