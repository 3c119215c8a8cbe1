import Glibc

/// Copied pieces of another process's memory, one after the other. Unused capacity takes no memory.
public final class MemoryCopy: MemoryBytes {
  struct Piece {
    var address: UInt64
    var size: UInt64
    /// Where its bytes are in the room.
    var offset: UInt64
  }

  private let room: UnsafeMutableRawPointer
  /// The capacity in bytes.
  public let capacity: Int
  /// The number of copied bytes.
  public private(set) var count = 0
  private var pieces: [Piece] = []
  private var isSorted = true

  /// - Parameter capacity: The wanted capacity in bytes. If the system refuses so much memory, the copy's capacity is
  ///   smaller.
  public init?(capacity wanted: Int) {
    var size = wanted
    var room = UnsafeMutableRawPointer(bitPattern: -1)
    while size > 0 {
      room = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
      if room != MAP_FAILED { break }
      size /= 2
    }
    guard size > 0, let room else { return nil }
    (self.room, capacity) = (room, size)
    // Fewer and larger pages are faster to fill. If the system has none, that is no failure.
    madvise(room, size, MADV_HUGEPAGE)
  }

  deinit { munmap(room, capacity) }

  /// Adds the `size` bytes that begin at an address, if all of them fit.
  ///
  /// - Parameter fill: Writes the bytes to the given place, and returns how many it could write.
  /// - Returns: How many bytes were added; nil if `size` bytes do not fit.
  public func add(_ address: UInt64, _ size: Int, _ fill: (UnsafeMutableRawPointer) -> Int) -> Int? {
    guard size <= capacity - count else { return nil }
    let added = min(max(fill(room + count), 0), size)
    guard added > 0 else { return 0 }
    isSorted = isSorted && (pieces.last?.address ?? 0) <= address
    pieces.append(Piece(address: address, size: UInt64(added), offset: UInt64(count)))
    count += added
    return added
  }

  /// The pieces that begin in a range, by address.
  func pieces(in range: Range<UInt64>) -> ArraySlice<Piece> {
    if !isSorted {
      pieces.sort { $0.address < $1.address }
      isSorted = true
    }
    return pieces[first(from: range.lowerBound)..<first(from: range.upperBound)]
  }

  private func first(from address: UInt64) -> Int {
    var (low, high) = (0, pieces.count)
    while low < high {
      let middle = (low + high) / 2
      if pieces[middle].address < address { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The bytes at an offset of the copy: fewer than `count` if the copy ends before.
  func read(_ offset: UInt64, _ count: Int) -> [UInt8] {
    guard offset < UInt64(self.count), count > 0 else { return [] }
    let size = min(count, self.count - Int(offset))
    return Array(UnsafeRawBufferPointer(start: room + Int(offset), count: size))
  }
}
