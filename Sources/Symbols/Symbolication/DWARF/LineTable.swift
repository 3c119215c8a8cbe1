/// The line table of a unit: which source line each address comes from.
final class LineTable {
  struct Row {
    /// From the start of the sequence.
    var distance: UInt32
    /// 0 if the compiler gave none.
    var line: UInt32
    var file: UInt32
    var column: UInt32
  }

  /// Rows of one stretch of code without gaps.
  struct Sequence {
    var low: UInt64
    /// Exclusive.
    var high: UInt64
    var rows: Range<Int>
  }

  /// Where an address falls: a sequence and a row in it.
  struct Position {
    var sequence: Int
    var row: Int
  }

  /// Reads the files' names on demand.
  let names: any SourceFileNames
  /// Ordered by address.
  let sequences: [Sequence]
  let rows: [Row]
  /// How many rows its program made, those that were left out included.
  let rowsMade: Int
  private var sourceFiles: [SourceFile?]

  init?(at offset: UInt64, of unit: Unit) {
    guard let header = LineTableHeader(at: offset, of: unit) else { return nil }
    var program = LineProgram(header, code: unit.codeRange, budget: unit.file.rowBudget)
    program.run()
    rowsMade = unit.file.rowBudget - program.budget
    unit.file.rowBudget = program.budget
    names = header
    rows = program.rows.fitted
    sequences = program.sequences.sorted { $0.low < $1.low }
    sourceFiles = Array(repeating: nil, count: header.files.count)
  }

  /// Takes what was decoded before.
  init(sequences: [Sequence], rows: [Row], names: any SourceFileNames) {
    self.sequences = sequences
    self.rows = rows
    self.names = names
    rowsMade = 0
    sourceFiles = Array(repeating: nil, count: names.fileCount)
  }

  /// The row that holds at an address.
  func position(of address: UInt64) -> Position? {
    var low = 0
    var high = sequences.count
    while low < high {
      let middle = (low + high) / 2
      if sequences[middle].low <= address { low = middle + 1 } else { high = middle }
    }
    guard low > 0, address < sequences[low - 1].high else { return nil }
    let sequence = sequences[low - 1]
    let distance = address - sequence.low
    let row = rows.withUnsafeBufferPointer { rows in
      var low = sequence.rows.lowerBound
      var high = sequence.rows.upperBound
      while low < high {
        let middle = (low &+ high) >> 1
        if UInt64(rows[middle].distance) <= distance { low = middle &+ 1 } else { high = middle }
      }
      return low - 1
    }
    return row >= sequence.rows.lowerBound ? Position(sequence: low - 1, row: row) : nil
  }

  func address(ofRow row: Int, in sequence: Int) -> UInt64 { sequences[sequence].low &+ UInt64(rows[row].distance) }

  /// A file by the number that rows and entries give it.
  func file(_ number: UInt32) -> SourceFile? {
    guard let index = names.index(ofFile: number) else { return nil }
    if let file = sourceFiles[index] { return file }
    let path = names.path(ofFile: index)
    let file = SourceFile(path: path)
    sourceFiles[index] = file
    return file
  }
}

/// A source file by its name.
final class SourceFile {
  let path: String
  /// Whether it is part of a language runtime or the system.
  private(set) lazy var isRuntime = FrameClassifier.isRuntimePath(path)

  init(path: String) { self.path = path }
}

/// The files that a line table speaks of.
protocol SourceFileNames {
  var fileCount: Int { get }
  /// The index of the file with a number, as rows and entries have it.
  func index(ofFile number: UInt32) -> Int?
  func path(ofFile index: Int) -> String
}
