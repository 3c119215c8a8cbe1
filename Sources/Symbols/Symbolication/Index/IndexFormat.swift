/// How an index is laid out. All numbers are little-endian; Docs/symbolication.md describes it.
///
///     header       see `Header`
///     key          what the answers depend on
///     checksums    one of 8 bytes for each block of the data
///     data         the sections, one after the other
enum IndexFormat {
  /// Another one is another format: its indexes are made anew.
  static let version: UInt32 = 3
  static let magic: UInt64 = 0x5849_4d59_5353_5243
  static let blockSize = 64 << 10
  static let headerSize = 160

  /// The parts of the data.
  enum Section: Int, CaseIterable {
    /// Strings: a length in LEB128, then the bytes. Offset 0 is the empty string.
    case strings
    /// Two offsets of strings for each name: the linker's form, and the readable form or 0. Name 0 means that there is
    /// no name.
    case names
    /// The units' code; see `UnitEncoder`.
    case code
    /// For each unit, its place in `code` and its length; 0 and 0 for one that is not in the index.
    case units
    /// Address ranges of units, disjoint and in order: from, to, and the unit's number.
    case ranges
    /// The symbol for each range of addresses, in order: see `SymbolPiece`, and the number of its name or 0. May be
    /// missing.
    case symbols
  }

  static let nameSize = 8
  static let unitSize = 16
  static let rangeSize = 12
  static let symbolSize = 24

  enum Flag {
    static let hasSymbols: UInt32 = 1 << 8
    /// There are units that do not say where their code is.
    static let hasUnrangedUnits: UInt32 = 1 << 9
    static let hasDWARF: UInt32 = 1 << 10
    /// The lowest bits, without DWARF: 1 for a symbol table, 2 for dynamic symbols, 0 for nothing.
    static let kindMask: UInt32 = 3
  }

  /// In the order of the file.
  struct Header {
    var fileSize: UInt64 = 0
    var dataStart: UInt64 = 0
    /// Addresses count from here.
    var base: UInt64 = 0
    var keySize: UInt32 = 0
    var flags: UInt32 = 0
    /// From the start of the data, and in bytes.
    var sections: [(offset: UInt64, size: UInt64)] = Array(repeating: (0, 0), count: Section.allCases.count)
  }
}

/// Where a symbol's name stands: in the strings of one of the image's tables.
struct SymbolName: Hashable {
  var table: UInt32
  var name: UInt32
}

/// A stretch of addresses that one symbol holds.
struct SymbolPiece: Equatable {
  var low: UInt64
  /// Exclusive.
  var high: UInt64
  /// Where the symbol begins.
  var start: UInt64
  /// Where its name stands among the strings of its table.
  var name: UInt32
  /// Which of the image's tables it is of.
  var table: UInt32
}
