/// Source locations that a view may open. Symbolication found them in files that have the same build IDs as the images
/// of the report.
///
/// A report, a log or another symbolicator may name any file. Such names are never included.
public struct VerifiedLocations: Sendable, Equatable {
  private struct Place: Hashable {
    var file: String
    var line: Int
  }

  private var places: Set<Place> = []

  /// Holds no location yet.
  public init() {}

  /// Adds a line of a file.
  public mutating func insert(file: String, line: Int) { places.insert(Place(file: file, line: line)) }

  /// Whether symbolication found this line of this file.
  public func contains(file: String, line: Int) -> Bool { places.contains(Place(file: file, line: line)) }
}

/// A report, with the source locations that a view may open for it.
public struct VerifiedReport: Sendable {
  /// The symbolicated report.
  public var report: CrashReport
  /// The source locations of the report's frames, if symbolication found them in files of the same build.
  public var locations: VerifiedLocations

  /// Combines a report with the locations. Without locations a view shows no source line.
  public init(report: CrashReport, locations: VerifiedLocations = VerifiedLocations()) {
    self.report = report
    self.locations = locations
  }
}
