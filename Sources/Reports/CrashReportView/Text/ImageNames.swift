import CrashReportModel

/// Finds the image of an address without symbols. The time is logarithmic in the number of images.
struct ImageNames {
  private typealias Image = (name: String, base: UInt64, end: UInt64)

  /// The images of each name, by their base addresses.
  private let named: [String: [Image]]
  /// How many images begin at an address.
  private let counts: [UInt64: Int]
  /// From each of these addresses on, the image that begins last among those that reach there.
  private let owners: [(start: UInt64, image: Image?)]

  init(_ report: CrashReport) {
    let images: [Image] = (report.images ?? []).compactMap { image in
      guard let name = image.name, let base = image.baseAddress?.value else { return nil }
      return (name, base, image.endOfText?.value ?? .max)
    }.sorted { $0.base < $1.base }
    named = Dictionary(grouping: images, by: \.name)
    counts = Dictionary(images.map { ($0.base, 1) }, uniquingKeysWith: +)
    owners = Self.owners(of: images.filter { $0.base <= $0.end })
  }

  /// `image+0xoffset`, or the address if no image holds it.
  func place(of frame: CrashReport.Frame) -> String {
    guard let address = frame.address else { return "?" }
    let candidates = frame.image.flatMap { named[$0] } ?? []
    guard let image = Self.last(of: candidates, at: address.value, \.base) ?? owner(of: frame, at: address.value) else {
      return address.description
    }
    return "\(image.name)+0x\(String(address.value - image.base, radix: 16))"
  }

  /// The image that an address is in, if the frame names none of the report's.
  private func owner(of frame: CrashReport.Frame, at address: UInt64) -> Image? {
    guard let image = Self.last(of: owners, at: address, \.start)?.image,
      !frame.needsItsImagesName(at: Address(image.base), among: counts[image.base] ?? 0)
    else { return nil }
    return image
  }

  /// The last element that begins at an address or before it.
  private static func last<Element>(
    of elements: [Element], at address: UInt64, _ start: (Element) -> UInt64
  ) -> Element? {
    var low = 0
    var high = elements.count
    while low < high {
      let middle = (low + high) / 2
      if start(elements[middle]) <= address { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? elements[low - 1] : nil
  }

  /// Images may overlap in a damaged report. Open images are on a stack, the last image on top.
  private static func owners(of images: [Image]) -> [(start: UInt64, image: Image?)] {
    var owners: [(start: UInt64, image: Image?)] = []
    var open: [Image] = []
    func closeAll(endingBefore limit: UInt64?) {
      while let top = open.last, limit.map({ top.end < $0 }) ?? true {
        while let below = open.last, below.end <= top.end { open.removeLast() }
        if top.end < .max { owners.append((top.end + 1, open.last)) }
      }
    }
    for image in images {
      closeAll(endingBefore: image.base)
      open.append(image)
      owners.append((image.base, image))
    }
    closeAll(endingBefore: nil)
    return owners
  }
}
