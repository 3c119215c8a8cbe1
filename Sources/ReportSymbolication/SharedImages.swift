import CrashReportModel
import Symbolication
import Synchronization

/// Lets reports share what is open of an image: wherever it was mapped and, once its file was found, under whichever
/// path.
final class SharedImages: Sendable {
  /// Beyond so many builds all are forgotten, which costs a file's second opening and no more.
  private static let mostBuilds = 4096

  private let symbolicator: Symbolicator
  private let found = Mutex<[[UInt8]: ImageReference]>([:])

  init(_ symbolicator: Symbolicator) { self.symbolicator = symbolicator }

  func symbolicate(
    _ addresses: [(address: UInt64, kind: AddressKind)], in image: ImageReference
  ) -> (lookups: [Lookup], status: ImageStatus) {
    let base = image.baseAddress
    var unplaced = image
    unplaced.baseAddress = 0
    unplaced.endOfText = nil
    if let buildID = image.buildID, let known = found.withLock({ $0[buildID] }), known.name == image.name {
      unplaced = known
    }
    let (lookups, status) = symbolicator.symbolicate(addresses.map { ($0.address &- base, $0.kind) }, in: unplaced)
    // A file without debug information must not stand for one that has it, at the path of another report.
    if let buildID = image.buildID, case .found(_, .dwarf, _) = status {
      let reference = unplaced
      found.withLock { found in
        if found.count >= Self.mostBuilds { found = [:] }
        found[buildID] = reference
      }
    }
    return (lookups, status)
  }
}
