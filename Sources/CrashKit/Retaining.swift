import CrashReportModel
import Glibc
import PreviousRuns

extension CrashKit.Retention {
  private struct Entry {
    var path: String
    /// Of the report; for the rest of a name the same.
    var name: String
    var rank: Int
    var seconds: Double
    var bytes: Int
  }

  /// Removes files beyond the limits. Files without a report's name stay.
  ///
  /// Besides reports it counts what is left of those that were not finished, and ring files that were set aside.
  func apply(to directory: ReportDirectory, now: Double = Self.now) {
    var entries = Self.entries(in: directory)
    // The first to go comes first.
    entries.sort { ($0.rank, $0.seconds, $0.name) < ($1.rank, $1.seconds, $1.name) }
    var count = entries.count
    var total = entries.reduce(0) { $0 + $1.bytes }
    let limit = now - Double(age.components.seconds)
    for (index, entry) in entries.enumerated() {
      let isLast = index == entries.count - 1
      let isTooOld = entry.seconds < limit
      // The others of this rank are younger, and those behind may not go before it.
      guard isTooOld || (count > max(1, self.count) || total > bytes) && !isLast else { return }
      try? directory.remove(entry.path)
      if entry.rank == Self.newRank { try? directory.remove(HandOver.attemptsName(entry.name)) }
      count -= 1
      total -= entry.bytes
    }
  }

  private static let newRank = 2
  /// Left by a process that was killed while it made such a file.
  private static let unfinished = [".ring.new", ".spare.new"]
  /// A longer file, which must be sparse, counts as this many bytes, so that no sum overflows.
  private static let mostBytes = 1 << 44

  private static func entries(in directory: ReportDirectory) -> [Entry] {
    var entries: [Entry] = []
    for (folder, rank) in [("handled/", 0), ("set-aside/", 1), ("", newRank)] {
      for name in directory.names(in: folder.isEmpty ? "." : folder, where: isCounted) {
        let path = folder + name
        guard let status = directory.status(of: path), status.st_mode & S_IFMT == S_IFREG else { continue }
        let whole = ReportName.whole(name)
        let bytes = min(Int(status.st_size), mostBytes)
        let changed = Double(status.st_mtim.tv_sec)
        if let parts = ReportName(whole) {
          let seconds = Double(parts.time.microseconds) / 1_000_000
          if whole != name, isBeingWritten(changed) { continue }
          entries.append(Entry(path: path, name: whole, rank: rank, seconds: seconds, bytes: bytes))
        } else if rank == newRank, !isUnfinished(name) || !isBeingWritten(changed) {
          entries.append(Entry(path: path, name: name, rank: 1, seconds: changed, bytes: bytes))
        }
      }
    }
    return entries
  }

  /// Whether a file may still be written: it changed less than a minute ago.
  private static func isBeingWritten(_ changed: Double) -> Bool { abs(now - changed) < 60 }

  private static func isUnfinished(_ name: String) -> Bool {
    unfinished.contains { name.hasSuffix($0) }
  }

  private static func isCounted(_ name: String) -> Bool {
    name.hasSuffix(".ring.damaged") || isUnfinished(name) || ReportName(ReportName.whole(name)) != nil
  }

  static var now: Double {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Double(now.tv_sec)
  }
}
