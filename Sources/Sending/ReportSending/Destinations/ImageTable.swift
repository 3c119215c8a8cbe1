import CrashReportModel

/// The images of a report by their addresses.
struct ImageTable {
  struct Entry {
    var base: UInt64
    var end: UInt64
    var image: CrashReport.Image
  }

  /// By their bases.
  let entries: [Entry]

  init(_ report: CrashReport) {
    entries = (report.images ?? []).compactMap { image in
      image.baseAddress.map { Entry(base: $0.value, end: image.endOfText?.value ?? $0.value, image: image) }
    }.sorted { $0.base < $1.base }
  }

  /// The last image that begins at the address or before it, if it reaches there.
  subscript(address: UInt64) -> Entry? {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].base <= address { low = middle + 1 } else { high = middle }
    }
    return low > 0 && address < entries[low - 1].end ? entries[low - 1] : nil
  }
}

extension CrashReport.Frame {
  /// The function's beginning.
  var symbolAddress: Address? {
    guard let address, let offset, offset >= 0, UInt64(offset) <= address.value else { return nil }
    return Address(address.value - UInt64(offset))
  }
}
