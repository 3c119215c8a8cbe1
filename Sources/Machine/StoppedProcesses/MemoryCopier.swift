import CLinuxCalls
import CoreFiles
import Glibc

/// Copies of a process that stands what its report needs: stacks, locks, the words of the loader and, if Swift's runtime or
/// libdispatch is there, all private memory that it can write to.
struct MemoryCopier {
  /// Of a stack, from its innermost frame on.
  private static let mostStack: UInt64 = 8 << 20
  /// Around the word that a thread waits at: no lock is larger.
  private static let lockSize: UInt64 = 256
  /// Code reaches its data by offsets of 31 bits: what is larger is no part of a binary.
  private static let largestSegment: UInt64 = 2 << 30
  /// Copied at once.
  private static let pieceSize: UInt64 = 16 << 20
  private static let pageSize = UInt64(getpagesize())
  /// Binaries are copied for no longer than that, nor is the heap: the program stands meanwhile.
  static let longestCopy = Duration.milliseconds(500)

  private let process: pid_t
  private let mappings: [MappingLine]
  private let memory: MemoryCopy
  private let pages: PageMap
  private var copied = AddressSet()
  /// Why not all was copied that was wanted.
  private(set) var cut: String?

  /// - Parameter process: A thread of it that stands: the main thread may have ended.
  init(_ process: pid_t, _ mappings: [MappingLine], into memory: MemoryCopy) {
    self.process = process
    self.mappings = mappings
    self.memory = memory
    pages = PageMap(process)
  }

  /// What the threads stand at: their stacks, and the locks that they wait for.
  mutating func copyStacks(of threads: [ThreadStopper.Standing]) {
    for thread in threads {
      let pointer = thread.registers[Processor.stackPointer]
      // Functions that call no other one keep values below it.
      if let mapping = mapping(holding: pointer) {
        let start = max(mapping.start, (pointer &- Self.lockSize) / Self.pageSize * Self.pageSize)
        copy(start..<min(mapping.end, pointer + Self.mostStack))
      }
      if let word = Processor.futexWord(thread.registers), let mapping = mapping(holding: word) {
        copy(max(mapping.start, word - min(word, Self.lockSize))..<min(mapping.end, word + Self.lockSize))
      }
    }
  }

  /// Of binaries, what the process has and their files have not, and the first pages with the build IDs. The smaller
  /// mappings are first: the larger ones may be files of data.
  mutating func copyImages() {
    let end = ContinuousClock.now + Self.longestCopy
    for mapping in mappings.sorted(by: { $0.size < $1.size }) where mapping.isReadable && cut == nil {
      if mapping.name == "[vdso]" { copy(mapping.start..<mapping.end) }
      guard mapping.isFile, mapping.isPrivate else { continue }
      if mapping.fileOffset == 0 { copy(mapping.start..<min(mapping.end, mapping.start + Self.pageSize)) }
      guard !mapping.isExecutable || mapping.isWritable, mapping.size <= Self.largestSegment else { continue }
      copyPages(of: mapping, mapping.isWritable ? .any : .changed, until: end)
    }
  }

  /// The memory in which tasks and queues are: what malloc has first, then the smaller mappings before the larger ones.
  mutating func copyHeap() {
    let end = ContinuousClock.now + Self.longestCopy
    let wanted = mappings.filter { $0.isReadable && $0.isWritable && $0.isPrivate && !$0.isFile }
    for mapping in wanted.sorted(by: { Self.rank($0) < Self.rank($1) }) where cut == nil {
      copyPages(of: mapping, .any, until: end)
    }
  }

  private static func rank(_ mapping: MappingLine) -> UInt64 { mapping.name == "[heap]" ? 0 : mapping.size }

  private func mapping(holding address: UInt64) -> MappingLine? {
    var (low, high) = (0, mappings.count)
    while low < high {
      let middle = (low + high) / 2
      if mappings[middle].start <= address { low = middle + 1 } else { high = middle }
    }
    guard low > 0, address < mappings[low - 1].end, mappings[low - 1].isReadable else { return nil }
    return mappings[low - 1]
  }

  private mutating func copyPages(of mapping: MappingLine, _ kind: PageMap.Kind, until end: ContinuousClock.Instant) {
    let pages = pages
    let wasInTime = pages.forEachRun(in: mapping.start..<mapping.end, kind, until: end) { copy($0, until: end) }
    if !wasInTime { endCopy() }
  }

  private mutating func endCopy() {
    cut = "copying stopped after \(memory.count) bytes, at its time limit of half a second"
  }

  /// Copies what is not there yet. Pages that cannot be read are left out.
  ///
  /// - Returns: Whether there was room and time for it.
  @discardableResult
  private mutating func copy(_ range: Range<UInt64>, until end: ContinuousClock.Instant? = nil) -> Bool {
    for missing in copied.insert(range) {
      var place = missing.lowerBound
      while place < missing.upperBound {
        if let end, ContinuousClock.now >= end {
          endCopy()
          return false
        }
        let size = min(missing.upperBound - place, Self.pieceSize)
        let address = place
        let added = memory.add(place, Int(size)) { room in linux_copy_memory(process, UInt(address), room, UInt(size)) }
        guard let added else {
          cut = "there was room for a copy of only \(memory.count) bytes"
          return false
        }
        place += UInt64(added)
        if added < Int(size) { place = (place / Self.pageSize + 1) * Self.pageSize }
      }
    }
    return true
  }
}
