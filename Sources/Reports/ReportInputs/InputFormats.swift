import CoreFiles
import CrashReportModel
import CrashReportReading
import Symbolication

/// Every kind of input that a command reads. `Docs/contributing.md` lists the other changes for a new kind.
public struct InputFormats: Sendable {
  /// The only list of kinds, in the order in which they are tried. The last kind accepts all other inputs.
  private let sources: [any ReportSource]

  /// Sets up all kinds.
  ///
  /// - Parameters:
  ///   - options: Where to search for the files of images.
  ///   - executable: For a core file, the file of the program; by default the file that the core names.
  ///   - showsArguments: Whether the report from a core file includes the command line, which may hold secrets.
  public init(_ options: SymbolicationOptions = .init(), executable: String? = nil, showsArguments: Bool = false) {
    sources = [
      CoreReports(options, executable: executable, showsArguments: showsArguments),
      LogSource(),
    ]
  }

  /// The reports of an input, in their order.
  ///
  /// - Parameter path: A file, or `-` for standard input.
  /// - Throws: `ReadingError` if there is no report, or the input cannot be read.
  public func read(_ path: String) throws(ReadingError) -> [CrashReport] {
    for source in sources {
      if let reports = try source.reports(in: path) { return reports }
    }
    throw ReadingError(.notAReport, "not a report")
  }

  /// Whether a file that is found in a folder is an input.
  func claim(_ name: String, at path: String) -> Bool { sources.contains { $0.claims(name, at: path) } }
}
