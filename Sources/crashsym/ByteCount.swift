import ArgumentParser

/// A number of bytes on the command line: `500000000`, `500M`, `2G`.
struct ByteCount: ExpressibleByArgument {
  let bytes: Int

  private static let units: [Character: Int] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]

  init?(argument: String) {
    let unit = argument.last.flatMap { Self.units[$0] }
    guard let number = Int(unit == nil ? argument[...] : argument.dropLast()), number >= 1 else { return nil }
    let (bytes, isTooLarge) = number.multipliedReportingOverflow(by: unit ?? 1)
    guard !isTooLarge else { return nil }
    self.bytes = bytes
  }
}
