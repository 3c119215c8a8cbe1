import Foundation

/// Reports that are alike but for a number: each file of a folder is a model, in which twelve digits are replaced.
struct Reports: Sendable {
  private static let place = Array("000000000000".utf8)
  private let models: [(bytes: [UInt8], place: Int)]

  init(_ folder: String) throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    models = try names.map { name in
      let data = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))
      guard let place = data.range(of: Data(Self.place)) else { throw Failure("\(name) has no place for a number") }
      return (Array(data), place.lowerBound)
    }
    guard !models.isEmpty else { throw Failure("\(folder) is empty") }
  }

  /// The report of this number. Models that are beside each other do not follow each other.
  func report(_ number: Int) -> [UInt8] {
    var (bytes, place) = models[number * 7919 % models.count]
    let digits = Array(String(number).utf8)
    let start = place + Self.place.count - digits.count
    bytes.replaceSubrange(start..<start + digits.count, with: digits)
    return bytes
  }
}

/// Why nothing can be measured.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
