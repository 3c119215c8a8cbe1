import CLibdw

/// What the kernel wrote of the process and its threads; elf.h and the kernel's fs/binfmt_elf.c say how.
struct CoreNotes {
  struct Thread {
    var id: Int
    /// The signal that the thread had; 0 for none.
    var signal: Int
    var registers: [UInt64]
    /// Kernels write none into a core.
    var name: String?
    /// Whether a signal had stopped it before.
    var isStopped = false
  }

  struct SignalInfo {
    var number: Int32
    var code: Int32
    /// What follows, whose meaning the signal and its code decide.
    var sender: (pid: Int32, uid: UInt32)
    var address: UInt64
  }

  struct MappedFile {
    var start: UInt64
    /// Exclusive.
    var end: UInt64
    /// In bytes.
    var fileOffset: UInt64
    var path: String
  }

  /// Threads that are read; the kernel's own limit for one process is lower by default.
  static let mostThreads = 65_536
  private static let mostFiles = 1 << 20
  /// Notes that are looked at: a thread has up to a dozen.
  private static let mostNotes = 32 * mostThreads
  private static let longestNote = 64 << 20
  /// Of all notes together: many headers may name the same bytes.
  private static let mostBytes = 256 << 20

  /// In the order of the file: the first is the one that the signal was for.
  private(set) var threads: [Thread] = []
  private(set) var omittedThreads = 0
  private(set) var signal: SignalInfo?
  private(set) var pid: Int?
  private(set) var name: String?
  /// At most 79 bytes, arguments with blanks between.
  private(set) var arguments: String?
  private(set) var files: [MappedFile] = []
  private(set) var auxiliary: [UInt64: UInt64] = [:]
  /// The bits of code addresses that a signature may stand in (pointer authentication of AArch64).
  private(set) var codeMask: UInt64 = 0
  private let machine: CoreMachine

  init(_ input: CoreInput, _ places: [Range<UInt64>], _ machine: CoreMachine) {
    self.machine = machine
    var budget = (notes: Self.mostNotes, bytes: Self.mostBytes)
    for place in places { readNotes(input, place, &budget) }
  }

  /// What was copied of a running process.
  init(_ copy: ProcessCopy, _ machine: CoreMachine) {
    self.machine = machine
    threads = copy.threads.map {
      Thread(id: $0.id, signal: 0, registers: $0.registers, name: $0.name, isStopped: $0.isStopped)
    }
    pid = copy.process
    name = copy.name
    files = copy.mappings.compactMap { mapping in
      mapping.path.map {
        MappedFile(start: mapping.start, end: mapping.end, fileOffset: mapping.fileOffset, path: $0)
      }
    }
    codeMask = copy.codeMask
    takeAuxiliary(copy.auxiliary)
  }

  private mutating func readNotes(
    _ input: CoreInput, _ place: Range<UInt64>, _ budget: inout (notes: Int, bytes: Int)
  ) {
    var offset = place.lowerBound
    while budget.notes > 0, budget.bytes > 0, place.upperBound - offset >= 12,
      let header: Elf64_Nhdr = input.load(at: offset)
    {
      budget.notes -= 1
      let nameSize = (UInt64(header.n_namesz) + 3) & ~3
      let size = (UInt64(header.n_descsz) + 3) & ~3
      let start = offset + 12 + nameSize
      guard start <= place.upperBound, size <= place.upperBound - start else { break }
      let owner = nameSize <= 8 ? input.read(offset + 12, Int(header.n_namesz)) : []
      if owner.starts(with: "CORE".utf8), header.n_descsz <= Self.longestNote {
        budget.bytes -= take(header.n_type, from: input, start, Int(header.n_descsz))
      } else if owner.starts(with: "LINUX".utf8), header.n_type == UInt32(NT_ARM_PAC_MASK), header.n_descsz >= 16 {
        takeSignatureMasks(input.read(start, 16))
      }
      offset = start + size
    }
  }

  /// Returns how many bytes it has read.
  private mutating func take(_ type: UInt32, from input: CoreInput, _ offset: UInt64, _ size: Int) -> Int {
    func bytes(_ most: Int) -> [UInt8] { input.read(offset, min(size, most)) }
    let taken: [UInt8]
    switch Int32(bitPattern: type) {
    case NT_PRSTATUS:
      taken = bytes(1024)
      takeThread(taken)
    case NT_PRPSINFO:
      taken = bytes(256)
      takeProcess(taken)
    case NT_SIGINFO:
      taken = bytes(128)
      takeSignal(taken)
    case NT_AUXV:
      taken = bytes(64 << 10)
      takeAuxiliary(taken)
    case NT_FILE:
      taken = files.isEmpty ? bytes(size) : []
      takeFiles(taken)
    default: taken = []
    }
    return taken.count
  }

  private mutating func takeThread(_ bytes: [UInt8]) {
    let count = machine.registerCount
    guard bytes.count >= 112 + 8 * count else { return }
    guard threads.count < Self.mostThreads else {
      omittedThreads += 1
      return
    }
    bytes.withUnsafeBytes { bytes in
      threads.append(
        Thread(
          id: Int(bytes.value(at: 32, Int32.self)), signal: Int(bytes.value(at: 12, Int16.self)),
          registers: (0..<count).map { bytes.value(at: 112 + 8 * $0, UInt64.self) }))
    }
  }

  private mutating func takeProcess(_ bytes: [UInt8]) {
    guard pid == nil, bytes.count >= 136 else { return }
    bytes.withUnsafeBytes { pid = Int($0.value(at: 24, Int32.self)) }
    name = String(decoding: bytes[40..<56].prefix { $0 != 0 }, as: UTF8.self)
    arguments = String(decoding: bytes[56..<136].prefix { $0 != 0 }, as: UTF8.self)
  }

  private mutating func takeSignal(_ bytes: [UInt8]) {
    guard signal == nil, bytes.count >= 32 else { return }
    bytes.withUnsafeBytes { bytes in
      signal = SignalInfo(
        number: bytes.value(at: 0, Int32.self), code: bytes.value(at: 8, Int32.self),
        sender: (bytes.value(at: 16, Int32.self), bytes.value(at: 20, UInt32.self)),
        address: bytes.value(at: 16, UInt64.self))
    }
  }

  /// The masks of addresses of data and of code. All threads have the same.
  private mutating func takeSignatureMasks(_ bytes: [UInt8]) {
    guard codeMask == 0, bytes.count == 16, machine == .arm else { return }
    bytes.withUnsafeBytes { codeMask = $0.value(at: 8, UInt64.self) }
  }

  private mutating func takeAuxiliary(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { bytes in
      for start in stride(from: 0, to: bytes.count - 15, by: 16) {
        let type = bytes.value(at: start, UInt64.self)
        if auxiliary[type] == nil { auxiliary[type] = bytes.value(at: start + 8, UInt64.self) }
      }
    }
  }

  /// Number, size of a page, three words for each mapping, then the paths in the same order.
  private mutating func takeFiles(_ bytes: [UInt8]) {
    guard files.isEmpty, bytes.count >= 16 else { return }
    bytes.withUnsafeBytes { bytes in
      let claimed = bytes.value(at: 0, UInt64.self)
      let pageSize = bytes.value(at: 8, UInt64.self)
      let count = Int(min(claimed, UInt64((bytes.count - 16) / 24), UInt64(Self.mostFiles)))
      guard UInt64(count) == min(claimed, UInt64(Self.mostFiles)) else { return }
      var rest = bytes[(16 + 24 * Int(min(claimed, UInt64((bytes.count - 16) / 24))))...]
      for index in 0..<count {
        guard let end = rest.firstIndex(of: 0) else { return }
        let (offset, overflow) = bytes.value(at: 32 + 24 * index, UInt64.self).multipliedReportingOverflow(by: pageSize)
        let start = bytes.value(at: 16 + 24 * index, UInt64.self)
        let stop = bytes.value(at: 24 + 24 * index, UInt64.self)
        if !overflow, start < stop {
          files.append(
            MappedFile(
              start: start, end: stop, fileOffset: offset,
              path: String(decoding: rest[rest.startIndex..<end].prefix(4096), as: UTF8.self)))
        }
        rest = rest[(end + 1)...]
      }
    }
  }
}

extension UnsafeRawBufferPointer {
  /// A little-endian value at an offset that the caller has checked.
  fileprivate func value<Value: FixedWidthInteger & BitwiseCopyable>(at offset: Int, _: Value.Type) -> Value {
    Value(littleEndian: loadUnaligned(fromByteOffset: offset, as: Value.self))
  }
}
