import CrashReportModel

/// Reads the source lines that a view of one report shows.
///
/// Input chooses no file: it takes a location that symbolication verified, in a folder that is allowed.
final class Excerpts {
  /// The result for a location.
  enum Answer {
    /// The lines. `changed` if the file is newer than the report; `recorded` if the file was guessed from this path.
    case lines(SourceExcerpt, changed: Bool, recorded: String?)
    /// The file exists, but not all users may read it, or it has several names.
    case isPrivate
  }

  /// Larger files are no source that a person wrote.
  private static let largest = 8 << 20
  /// At most this many bytes are read for one report: a hostile one may name any number of lines.
  private static let mostBytes = 64 << 20

  private let folders: SourceFolders
  private let locations: VerifiedLocations
  /// When the process died, in seconds since 1970.
  private let time: Int?
  private var bytesLeft: Int

  init(_ verified: VerifiedReport, _ options: TextReport.Options) {
    folders = options.sources
    locations = verified.locations
    time = verified.report.timestamp.map { Int($0.microseconds / 1_000_000) }
    bytesLeft = options.showsSource ? Self.mostBytes : 0
  }

  /// The excerpt for a location; `nil` if no source line can be shown.
  func answer(for location: CrashReport.SourceLocation?) -> Answer? {
    guard bytesLeft > 0, let location, let recorded = location.file, let line = location.line,
      locations.contains(file: recorded, line: line), let place = folders.place(of: recorded),
      place.folder.isTrusted, let file = FileBelow(place.parts, below: place.folder.opened)
    else { return nil }
    guard file.isForAll || place.folder.isNamed else { return .isPrivate }
    guard let (bytes, modified) = file.read(atMost: Self.largest) else { return nil }
    bytesLeft -= bytes.count
    let column = location.isApproximate == true ? nil : location.column
    guard let excerpt = SourceExcerpt(of: bytes, line: line, column: column) else { return nil }
    return .lines(
      excerpt, changed: time.map { modified > $0 } ?? false, recorded: place.isGuess ? recorded : nil)
  }
}
