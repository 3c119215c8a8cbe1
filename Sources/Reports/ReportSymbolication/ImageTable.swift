import CrashReportModel
import Symbolication

/// Finds the image of an address.
struct ImageTable {
  /// The images of the report, by base address.
  let images: [CrashReport.Image]
  /// Where each begins, and where its code ends: each search of an address reads many.
  private let bounds: [(base: Address, end: Address?)]
  /// The processor that ran them, as an ELF header has it.
  private let machine: UInt16?
  /// The first image of each name at each base address.
  private let named: [Place: Int]

  private struct Place: Hashable {
    var base: Address?
    var name: String?
  }

  init(_ report: CrashReport) {
    machine = report.architecture.flatMap(ImageReference.machine)
    let placed = (report.images ?? []).compactMap { image in image.baseAddress.map { (base: $0, image: image) } }
    let sorted = placed.sorted { $0.base < $1.base }
    images = sorted.map(\.image)
    bounds = sorted.map { ($0.base, $0.image.endOfText) }
    named = Dictionary(
      sorted.indices.map { (Place(base: sorted[$0].base, name: sorted[$0].image.name), $0) },
      uniquingKeysWith: { first, _ in first })
  }

  /// What the symbolicator needs to know of an image.
  func reference(at index: Int) -> ImageReference {
    var reference = images[index].reference
    reference.machine = machine
    return reference
  }

  /// The frames without AArch64's signatures of addresses, if only an address without one lies in an image.
  ///
  /// A program counter is never signed. One that looks so is where a return ended whose signature was wrong.
  func withoutSignatures(_ frames: [CrashReport.Frame]) -> [CrashReport.Frame] {
    guard let machine, SignedAddresses.areUsed(by: machine) else { return frames }
    return frames.map { frame in
      guard let address = frame.address?.value, frame.kind != .programCounter, index(of: frame) == nil else {
        return frame
      }
      let bare = SignedAddresses.withoutSignature(address, of: images.last?.baseAddress?.value ?? 0).lazy.map { bare in
        var frame = frame
        frame.address = Address(bare)
        return frame
      }
      return bare.first { index(of: $0) != nil } ?? frame
    }
  }

  /// The index in `images` of the image that holds a frame's address.
  ///
  /// A return address may lie just after its image's last instruction, so it is looked up one byte lower.
  func index(of frame: CrashReport.Frame) -> Int? {
    guard let address = frame.address?.value else { return nil }
    let target = frame.kind == .returnAddress && address > 0 ? address - 1 : address
    let low = count(upTo: target)
    guard low > 0 else { return nil }
    let (base, end) = bounds[low - 1]
    let isAlone = low < 2 || bounds[low - 2].base != base
    if frame.needsItsImagesName(at: base, among: isAlone ? 1 : 2) {
      return frame.image.flatMap { named[Place(base: base, name: $0)] }
    }
    if let end, target >= end.value { return nil }
    return low - 1
  }

  /// The index of the last image that begins at or below an address: the only one whose variables may hold it.
  func index(below address: UInt64) -> Int? {
    let count = count(upTo: address)
    return count > 0 ? count - 1 : nil
  }

  private func count(upTo address: UInt64) -> Int {
    var low = 0
    var high = images.count
    while low < high {
      let middle = (low + high) / 2
      if bounds[middle].base.value <= address { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension CrashReport.Image {
  /// What the symbolicator needs to know of the image.
  var reference: ImageReference {
    ImageReference(
      name: name ?? "?", path: path, buildID: buildID.flatMap(Self.bytes(hex:)), baseAddress: baseAddress?.value ?? 0,
      endOfText: endOfText?.value)
  }

  private static func bytes(hex: String) -> [UInt8]? {
    let digits = hex.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
    guard digits.count == hex.utf8.count, digits.count % 2 == 0, !digits.isEmpty else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }

  /// Whether the image is a part of the kernel, of which there is no file and so nothing to search for.
  var isKernelProvided: Bool {
    let name = name ?? path ?? ""
    return name == "[vdso]" || name.hasPrefix("linux-vdso")
  }

  /// Whether the image belongs to the system or to a language's runtime, going by its path and name.
  var isSystem: Bool {
    let name = name ?? ""
    let path = path ?? name
    let folders = ["/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/", "[vdso]", "linux-vdso"]
    let runtimes = ["libswift", "lib_swift", "libFoundation", "lib_Foundation", "libdispatch.", "libBlocksRuntime."]
    let isOurs = name.hasPrefix("libCrashKit")
    return isOurs || folders.contains { path.hasPrefix($0) } || runtimes.contains { name.hasPrefix($0) }
  }
}
