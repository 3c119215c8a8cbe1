import Glibc
import LinuxCalls

/// Which pages of a process's memory there are: `/proc/PID/pagemap`. To read others would make the kernel add them.
final class PageMap {
  enum Kind {
    /// All pages that are in memory.
    case any
    /// Pages that differ from their file, because the process has written to them.
    case changed
  }

  private static let pageSize = UInt64(getpagesize())
  private static let isPresent: UInt64 = 1 << 63
  private static let isSwapped: UInt64 = 1 << 62
  private static let isOfFile: UInt64 = 1 << 61

  private let file: Int32
  private var entries = [UInt64](repeating: 0, count: 1 << 16)

  init(_ process: pid_t) {
    file = open("/proc/\(process)/pagemap", O_RDONLY | O_CLOEXEC)
  }

  deinit { if file >= 0 { close(file) } }

  /// Calls a function with each run of such pages in a range of whole pages, until it returns false or the time is up. A
  /// kernel without this file shows all pages as one run.
  ///
  /// - Returns: Whether there was time for all.
  func forEachRun(
    in range: Range<UInt64>, _ kind: Kind, until limit: ContinuousClock.Instant, _ body: (Range<UInt64>) -> Bool
  ) -> Bool {
    var run: Range<UInt64>?
    var page = range.lowerBound / Self.pageSize
    let end = range.upperBound / Self.pageSize
    while page < end {
      if ContinuousClock.now >= limit { return false }
      let count = read(page, min(Int(end - page), entries.count))
      guard count > 0 else {
        _ = body((run?.lowerBound ?? page * Self.pageSize)..<range.upperBound)
        return true
      }
      for index in 0..<count {
        let address = (page + UInt64(index)) * Self.pageSize
        if holds(entries[index], kind) {
          run = (run?.lowerBound ?? address)..<(address + Self.pageSize)
        } else if let found = run {
          guard body(found) else { return true }
          run = nil
        }
      }
      page += UInt64(count)
    }
    if let run { _ = body(run) }
    return true
  }

  private func holds(_ entry: UInt64, _ kind: Kind) -> Bool {
    guard entry & (Self.isPresent | Self.isSwapped) != 0 else { return false }
    return kind == .any || entry & Self.isOfFile == 0
  }

  private func read(_ page: UInt64, _ count: Int) -> Int {
    guard file >= 0 else { return 0 }
    let got = entries.withUnsafeMutableBytes { pread(file, $0.baseAddress, count * 8, off_t(page * 8)) }
    return max(got, 0) / 8
  }
}
