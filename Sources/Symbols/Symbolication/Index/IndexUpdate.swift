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
    var symbolNames: [SymbolName: FunctionName] = [:]
    for reader in readers { symbolNames.merge(reader.withReader { $0.simplifiedSymbols }) { name, _ in name } }
    // Without symbols in it, an index has no place for their names.
    let hasManyNames =
      symbolNames.count >= Limits.notedSymbols
      && (files.index?.hasSymbols == true || readers.contains { $0.withReader { $0.hasSymbolsForIndex } })
    let hasUnrangedCode = readers.lazy.compactMap { $0.withReader { $0.hasUnrangedCode } }.first
    guard
      !parts.joined().isEmpty || !isUsable || hasManyNames
        || hasUnrangedCode == false && files.index?.hasUnrangedUnits == true,
      let first = readers.first,
      let (base, flags, count) = first.withReader({ reader in
        reader.indexBase.map { ($0, reader.indexFlags, reader.unitCount) }
      })
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
    let missing = parts.map { $0.filter { !writer.holds($0) } }
    if !missing.joined().isEmpty {
      guard let extended = add(missing, to: consume writer, base: base) else { return }
      writer = extended
      isChanged = true
    }
    if isChanged {
      for name in readers.flatMap({ $0.withReader { $0.simplifiedNames } }) { writer.note(name) }
    }
    if !writer.hasSymbols, let symbols = readers.lazy.compactMap({ $0.withReader { $0.indexedSymbols } }).first {
      writer.setSymbols(symbols)
      isChanged = true
    }
    if isChanged || hasManyNames, writer.note(symbolNames) { isChanged = true }
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

  /// Adds each unit as soon as its reader has encoded it; nil if what was read is not all that there is.
  private func add(_ parts: [[Int]], to writer: consuming IndexWriter, base: UInt64) -> IndexWriter? {
    let shared = Mutex<IndexWriter?>(writer)
    let readers = readers
    DispatchQueue.concurrentPerform(iterations: readers.count) { number in
      guard !parts[number].isEmpty else { return }
      let isWhole = readers[number].withReader { reader in
        reader.encode(parts[number], base: base) { unit, encoder in shared.withLock { $0?.add(encoder, as: unit) } }
      }
      if !isWhole { shared.withLock { $0 = nil } }
    }
    return shared.withLock { $0.take() }
  }
}
