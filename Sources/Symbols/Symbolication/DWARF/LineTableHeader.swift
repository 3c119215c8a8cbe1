import CLibdw

/// The head of a line table: how its program is written, and the files it speaks of.
struct LineTableHeader: SourceFileNames {
  /// A file or a directory: the place of its name, which is read when it is needed.
  struct File {
    var name: FormValue
    var directory: UInt64
  }

  let version: UInt16
  let encoding: UnitEncoding
  private(set) var minimumInstructionLength: UInt64 = 1
  private(set) var operationsPerInstruction: UInt64 = 1
  private(set) var lineBase: Int64 = 0
  private(set) var lineRange: UInt64 = 1
  private(set) var opcodeBase: UInt8 = 1
  /// How many operands each standard opcode has, from opcode 1 on.
  private(set) var operandCounts: [UInt8] = []
  private(set) var directories: [File] = []
  private(set) var files: [File] = []
  private(set) var program = Bytes.empty
  private let lines: Bytes
  private unowned let unit: Unit

  init?(at offset: UInt64, of unit: Unit) {
    var cursor = ByteCursor(unit.file.lines, at: offset)
    var length = UInt64(cursor.u32())
    var offsetSize = 4
    if length == 0xffff_ffff {
      length = cursor.u64()
      offsetSize = 8
    }
    guard !cursor.hasFailed, length <= UInt64(cursor.remaining) else { return nil }
    let end = UInt64(cursor.offset) + length
    cursor = ByteCursor(unit.file.lines.prefix(end), at: UInt64(cursor.offset))

    version = cursor.u16()
    var addressSize = unit.encoding.addressSize
    if version >= 5 {
      addressSize = Int(cursor.u8())
      _ = cursor.u8()  // segment selector size
    }
    let headerLength = cursor.unsigned(bytes: offsetSize)
    guard (2...5).contains(version), addressSize == 4 || addressSize == 8, headerLength <= UInt64(cursor.remaining)
    else { return nil }
    let programOffset = UInt64(cursor.offset) + headerLength
    encoding = UnitEncoding(version: version, addressSize: addressSize, offsetSize: offsetSize)
    lines = unit.file.lines
    self.unit = unit

    minimumInstructionLength = UInt64(cursor.u8())
    if version >= 4 { operationsPerInstruction = UInt64(max(cursor.u8(), 1)) }
    _ = cursor.u8()  // default is_stmt
    lineBase = Int64(Int8(bitPattern: cursor.u8()))
    lineRange = UInt64(cursor.u8())
    opcodeBase = cursor.u8()
    guard lineRange > 0, opcodeBase > 0, !cursor.hasFailed else { return nil }
    operandCounts = (1..<max(opcodeBase, 1)).map { _ in cursor.u8() }
    if version >= 5 { readTables(at: &cursor) } else { readOldTables(at: &cursor) }
    program = unit.file.lines.prefix(end).suffix(from: programOffset)
  }

  private mutating func readOldTables(at cursor: inout ByteCursor) {
    while let name = Self.nextName(&cursor), directories.count < Limits.lineFiles {
      directories.append(File(name: name, directory: 0))
    }
    while let name = Self.nextName(&cursor), files.count < Limits.lineFiles {
      files.append(File(name: name, directory: cursor.uleb()))
      _ = cursor.uleb()  // time
      _ = cursor.uleb()  // size
    }
  }

  private static func nextName(_ cursor: inout ByteCursor) -> FormValue? {
    let start = cursor.skipString()
    guard cursor.offset - start > 1, !cursor.hasFailed else { return nil }
    return FormValue(kind: .inlineString, value: UInt64(start))
  }

  private mutating func readTables(at cursor: inout ByteCursor) {
    readTable(at: &cursor) { directories.append($0) }
    readTable(at: &cursor) { files.append($0) }
  }

  /// Since DWARF 5 a table says itself which values its rows have.
  private func readTable(at cursor: inout ByteCursor, _ body: (File) -> Void) {
    let formats = (0..<cursor.u8()).map { _ in (content: cursor.uleb(), form: UInt16(clamping: cursor.uleb())) }
    let count = cursor.uleb()
    guard !formats.isEmpty, count <= UInt64(Limits.lineFiles) else { return }
    for _ in 0..<count where !cursor.hasFailed {
      var file = File(name: .none, directory: 0)
      for format in formats {
        let value = FormValue.read(form: format.form, implicit: 0, at: &cursor, encoding)
        switch Int(format.content) {
        case DW_LNCT_path: file.name = value
        case DW_LNCT_directory_index: file.directory = value.value
        default: break
        }
      }
      body(file)
    }
  }

  var fileCount: Int { files.count }

  /// Files are counted from 1 up to DWARF 4, then from 0.
  func index(ofFile number: UInt32) -> Int? {
    let index = version >= 5 ? Int(number) : Int(number) - 1
    return files.indices.contains(index) ? index : nil
  }

  /// Strings that stand in the table itself count from the start of its section.
  private func name(_ file: File) -> String {
    (file.name.kind == .inlineString ? lines.string(at: file.name.value) : unit.string(file.name)) ?? ""
  }

  func path(ofFile index: Int) -> String {
    let file = files[index]
    let name = name(file)
    if name.hasPrefix("/") { return name }
    let number = Int(clamping: version >= 5 ? file.directory : file.directory &- 1)
    let directory = directories.indices.contains(number) ? self.name(directories[number]) : ""
    let relative = FilePath.join(directory, name)
    if directory.hasPrefix("/") || (version >= 5 && file.directory == 0) { return relative }
    return FilePath.join(unit.string(unit.directory) ?? "", relative)
  }
}
