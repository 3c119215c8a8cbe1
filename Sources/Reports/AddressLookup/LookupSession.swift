import CrashReportReading
import Dispatch
import Symbolication
import Synchronization

/// The output of a session.
public struct LookupOutput {
  /// Writes answers.
  let write: ([UInt8]) throws(ReadingError) -> Void
  /// Writes one line for people, separate from the answers.
  let note: (String) -> Void

  /// Makes an output from two functions: one writes answers, the other prints messages.
  public init(write: @escaping ([UInt8]) throws(ReadingError) -> Void, note: @escaping (String) -> Void) {
    self.write = write
    self.note = note
  }
}

/// Looks up addresses one after the other and writes the answers in the same order. It keeps the exit status of the
/// first error.
public struct LookupSession {
  /// The exit status: 0, or the status for the first bad line.
  public private(set) var status: Int32 = 0
  private let symbolicator: Symbolicator
  /// Where binaries are mapped; nil for their own addresses.
  private let base: UInt64?
  private let writer: any LookupWriter
  private let out: LookupOutput
  /// The binary of all addresses, if one was named.
  private var binary: BinaryFile?
  /// The binaries whose lack of debug information was reported.
  private var told: Set<String> = []
  private var known: [String: Result<BinaryFile, BinaryFile.Failure>] = [:]
  private var output: [UInt8] = []

  /// How many addresses are looked up together. More of them take memory and save no time.
  private static let mostAtOnce = 16 << 10
  private static let pieceSize = 256
  private static let mostPieces = 4
  /// At most this many files are remembered as good or bad.
  private static let mostKnown = 1_024

  /// - Parameters:
  ///   - symbolicator: Looks up the addresses.
  ///   - base: The address at which each binary is mapped in memory. With `nil`, the caller gives addresses as they are
  ///     in the binary's file, and not in memory.
  ///   - writer: Makes the answers.
  ///   - out: The output for the answers.
  public init(_ symbolicator: Symbolicator, base: UInt64?, _ writer: any LookupWriter, to out: LookupOutput) {
    self.symbolicator = symbolicator
    self.base = base
    self.writer = writer
    self.out = out
  }

  /// Opens a file as the binary for all addresses.
  public mutating func open(_ path: String) throws(ReadingError) {
    do throws(BinaryFile.Failure) {
      binary = try BinaryFile(path: path)
    } catch {
      throw ReadingError(error)
    }
  }

  /// Looks up the address on each line, writes the answers, and then flushes the output. If ``open(_:)`` has opened a
  /// binary, a line has only an address. Otherwise it has the path of a binary and then an address.
  public mutating func answer(_ lines: [String]) throws(ReadingError) {
    var pending: [UInt64] = []
    var current: BinaryFile?
    for line in lines {
      switch request(in: line) {
      case .success(let request):
        if request.binary.path != current?.path || pending.count == Self.mostAtOnce {
          try answer(pending, in: current)
          pending.removeAll(keepingCapacity: true)
          current = request.binary
        }
        pending.append(request.address)
      case .failure(let bad):
        try answer(pending, in: current)
        pending.removeAll(keepingCapacity: true)
        complain(bad)
      }
    }
    try answer(pending, in: current)
    try flush()
  }

  private mutating func flush() throws(ReadingError) {
    try out.write(output)
    output.removeAll(keepingCapacity: true)
  }

  private struct Request {
    var binary: BinaryFile
    var address: UInt64
  }

  /// A line that is answered with an error.
  private struct BadLine: Error {
    var what: String
    var subject: String
    var module: String
    var status: Int32
  }

  private mutating func request(in line: String) -> Result<Request, BadLine> {
    if let binary {
      guard let address = HexadecimalAddress(line) else {
        return .failure(
          BadLine(what: "not a hexadecimal address", subject: line, module: binary.path, status: 65))
      }
      return .success(Request(binary: binary, address: address.value))
    }
    guard let blank = line.lastIndex(where: { $0 == " " || $0 == "\t" }),
      let address = HexadecimalAddress(String(line[line.index(after: blank)...]))
    else {
      return .failure(
        BadLine(what: "not a file followed by a hexadecimal address", subject: line, module: "", status: 65))
    }
    let path = Self.path(line[..<blank])
    switch binary(at: path) {
    case .success(let binary): return .success(Request(binary: binary, address: address.value))
    case .failure(let failure):
      return .failure(
        BadLine(what: failure.what, subject: path, module: path, status: ReadingError(failure).status))
    }
  }

  /// A file's name, which may be in quotes, as with llvm-symbolizer.
  private static func path(_ text: Substring) -> String {
    var text = text
    while text.last == " " || text.last == "\t" { text.removeLast() }
    for quote in ["\"", "'"] where text.count > 1 && text.hasPrefix(quote) && text.hasSuffix(quote) {
      return String(text.dropFirst().dropLast())
    }
    return String(text)
  }

  private mutating func binary(at path: String) -> Result<BinaryFile, BinaryFile.Failure> {
    if let result = known[path] { return result }
    if known.count >= Self.mostKnown { known.removeAll() }
    let result = Result { () throws(BinaryFile.Failure) in try BinaryFile(path: path) }
    known[path] = result
    return result
  }

  private mutating func answer(_ addresses: [UInt64], in binary: BinaryFile?) throws(ReadingError) {
    guard let binary, !addresses.isEmpty else { return }
    let image = binary.image(at: base)
    let (lookups, status) = symbolicator.symbolicate(addresses.map { ($0, .programCounter) }, in: image)
    tellLack(status, of: binary)
    for start in stride(from: 0, to: lookups.count, by: Self.mostPieces * Self.pieceSize) {
      let end = min(start + Self.mostPieces * Self.pieceSize, lookups.count)
      try flush()
      for piece in Self.pieces(start..<end, of: lookups, at: addresses, in: binary.path, writer) {
        try out.write(piece)
      }
    }
  }

  /// Says once for a binary why there are no lines, and where they were looked for.
  private mutating func tellLack(_ status: ImageStatus, of binary: BinaryFile) {
    guard case .found(_, let debugInfo, let searched) = status, let lack = debugInfo.lack,
      told.count < Self.mostKnown, told.insert(binary.path).inserted
    else { return }
    out.note("no debug information, \(lack) (build ID \(binary.buildIDText ?? "none")): \(binary.path)")
    for place in searched { out.note("  searched \(place)") }
  }

  /// Swift 6.0 lets no closure for several threads capture a Mutex itself.
  private final class Pieces: Sendable {
    let all: Mutex<[[UInt8]]>

    init(count: Int) { all = Mutex(Array(repeating: [], count: count)) }
  }

  /// Puts answers in bytes, piece by piece and side by side.
  private static func pieces(
    _ range: Range<Int>, of lookups: [Lookup], at addresses: [UInt64], in module: String, _ writer: any LookupWriter
  ) -> [[UInt8]] {
    let starts = Array(stride(from: range.lowerBound, to: range.upperBound, by: pieceSize))
    let pieces = Pieces(count: starts.count)
    DispatchQueue.concurrentPerform(iterations: starts.count) { number in
      var bytes: [UInt8] = []
      for index in starts[number]..<min(starts[number] + pieceSize, range.upperBound) {
        writer.write(lookups[index], at: addresses[index], in: module, to: &bytes)
      }
      pieces.all.withLock { $0[number] = bytes }
    }
    return pieces.all.withLock { $0 }
  }

  private mutating func complain(_ bad: BadLine) {
    writer.writeError(bad.what, of: bad.subject, in: bad.module, to: &output)
    out.note("\(bad.what): \(bad.subject)")
    if status == 0 { status = bad.status }
  }
}

extension DebugInfoKind {
  /// What the file has in place of DWARF; `nil` if it has DWARF.
  fileprivate var lack: String? {
    switch self {
    case .dwarf: nil
    case .symbolTable: "only a symbol table"
    case .dynamicSymbols: "only the names of exported functions"
    case .none: "no symbols at all"
    }
  }
}

extension ReadingError {
  fileprivate init(_ failure: BinaryFile.Failure) {
    switch failure.kind {
    case .noInput: self.init(.noInput, failure.what)
    case .notABinary: self.init(.notAReport, failure.what)
    case .inputOutput: self.init(.inputOutput, failure.what)
    }
  }
}
