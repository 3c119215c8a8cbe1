import Dispatch
import Synchronization

/// Brings an index up to date with what readers have decoded.
struct IndexUpdate {
  private let files: ImageFiles
  private let readers: [SharedReader]

  init(_ files: ImageFiles, _ readers: [SharedReader]) {
    self.files = files
    self.readers = readers
  }

  func write(to folder: IndexFolder, as key: IndexKey) {
    let isUsable = files.index.map { !$0.isDamaged } ?? false
    let parts = parts()
    let hasUnrangedCode = readers.lazy.compactMap { $0.withReader { $0.hasUnrangedCode } }.first
    guard !parts.joined().isEmpty || !isUsable || hasUnrangedCode == false && files.index?.hasUnrangedUnits == true,
      let first = readers.first,
      let (base, flags, count) = first.withReader({ reader in
        reader.indexBase.map { ($0, reader.indexFlags, reader.unitCount) }
      }), let units = encoded(parts, base: base)
    else { return }

    // Another process may have written since: what it has found is kept.
    let present = folder.index(key).flatMap { IndexWriter($0, base: base, flags: flags, units: count) }
    var writer = present ?? IndexWriter(base: base, flags: flags, units: count)
    var isChanged = false
    if present == nil { writer.hasUnrangedUnits = flags & IndexFormat.Flag.hasDWARF != 0 }
    if hasUnrangedCode == false, writer.hasUnrangedUnits {
      writer.hasUnrangedUnits = false
      isChanged = present != nil
    }
    writer.reserve(names: units.reduce(0) { $0 + $1.encoder.names.count } / 2)
    for (number, unit) in units where !writer.holds(number) {
      writer.add(unit, as: number)
      isChanged = true
    }
    if !writer.hasSymbols, let symbols = readers.lazy.compactMap({ $0.withReader { $0.indexedSymbols } }).first {
      writer.setSymbols(symbols)
      isChanged = true
    }
    guard isChanged else { return }
    if !writer.hasRanges { writer.setRanges(first.withReader { $0.unitRanges }) }
    if let file = writer.finished(key) { folder.write(file, as: key) }
  }

  /// The numbers of the units that each reader is to encode: of those that it has decoded, each unit once.
  private func parts() -> [[Int]] {
    var taken: Set<Int> = []
    return readers.map { reader in
      reader.withReader { $0.takeUnindexed() }.filter { taken.insert($0).inserted }
    }
  }

  private func encoded(_ parts: [[Int]], base: UInt64) -> [(unit: Int, encoder: UnitEncoder)]? {
    let encoded = Mutex<[(unit: Int, encoder: UnitEncoder)]?>([])
    let readers = readers
    DispatchQueue.concurrentPerform(iterations: readers.count) { number in
      guard !parts[number].isEmpty else { return }
      let units = readers[number].withReader { $0.encode(parts[number], base: base) }
      encoded.withLock { encoded in
        if let units { encoded?.append(contentsOf: units) } else { encoded = nil }
      }
    }
    return encoded.withLock { $0 }
  }
}
