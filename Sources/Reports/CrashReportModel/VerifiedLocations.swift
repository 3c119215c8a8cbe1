/// Source locations that a view may open: symbolication found them in files whose build IDs it compared.
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

/// A report, with the locations in it that a view may open.
public struct VerifiedReport: Sendable {
  /// The report, with its frames filled in.
  public var report: CrashReport
  /// The locations of the report's frames in files of the right build.
  public var locations: VerifiedLocations

  /// Combines a report with the locations. Without locations a view shows no source line.
  public init(report: CrashReport, locations: VerifiedLocations = VerifiedLocations()) {
    self.report = report
    self.locations = locations
  }
}
