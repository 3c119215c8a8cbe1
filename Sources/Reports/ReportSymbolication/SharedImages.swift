import CrashReportModel
import Symbolication

/// Lets reports share what is open of an image, wherever each process had it mapped.
///
/// A file at another path does not stand for the image's own, though it is of the same build: one may be stripped and the
/// other not. What a report shows would depend on the reports before it.
struct SharedImages: Sendable {
  private let symbolicator: Symbolicator

  init(_ symbolicator: Symbolicator) { self.symbolicator = symbolicator }

  func symbolicate(
    _ addresses: [(address: UInt64, kind: AddressKind)], in image: ImageReference
  ) -> (lookups: [Lookup], status: ImageStatus) {
    let base = image.baseAddress
    return symbolicator.symbolicate(addresses.map { ($0.address &- base, $0.kind) }, in: unplaced(image))
  }

  func variables(at addresses: Set<UInt64>, in image: ImageReference) -> [UInt64: Variable] {
    let base = image.baseAddress
    let found = symbolicator.variables(at: Set(addresses.map { $0 &- base }), in: unplaced(image))
    return Dictionary(uniqueKeysWithValues: found.map { ($0 &+ base, $1) })
  }

  func nilPointer(_ access: FailedAccess, in image: ImageReference) -> NilPointer? {
    var access = access
    access.address &-= image.baseAddress
    return symbolicator.nilPointer(access, in: unplaced(image))
  }

  private func unplaced(_ image: ImageReference) -> ImageReference {
    var image = image
    image.baseAddress = 0
    image.endOfText = nil
    return image
  }
}
