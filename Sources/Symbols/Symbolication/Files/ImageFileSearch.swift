/// Finds the file of an image in the same way as `Symbolicator`, for code that needs the file itself, for example its
/// unwind tables.
public struct ImageFileSearch: Sendable {
  private let options: SymbolicationOptions
  private let sources: SymbolSources

  /// Searches in the folders that the options name, and asks no server.
  public init(_ options: SymbolicationOptions = .init()) {
    self.options = options
    sources = SymbolSources(folders: SymbolFolders(options.symbolDirectories), debuginfod: nil)
  }

  /// The path of the image's file; nil if no file is found. If the image has a build ID, the file has the same build
  /// ID. A debug file lacks code and unwind tables, so it is only the last choice.
  public func path(of image: ImageReference) -> String? {
    var search = DebugFileSearch(for: image, options, sources)
    return (search.imageFile { $0.hasSection(".text") } ?? search.imageFile())?.path
  }

  /// The path of the debug file that belongs to an image's file, if the debug file has unwind tables that the image's
  /// file lacks.
  public func pathOfUnwindTables(of image: ImageReference) -> String? {
    var search = DebugFileSearch(for: image, options, sources)
    guard let file = search.imageFile(where: { $0.hasSection(".text") }), !file.hasSection(Self.table),
      let debugFile = search.debugFile(of: file), debugFile.hasSection(Self.table)
    else { return nil }
    return debugFile.path
  }

  private static let table = ".debug_frame"

  /// A descriptor of a regular file, for reading; nil for anything else. The caller closes it.
  public static func open(_ path: String) -> Int32? { RegularFile.open(path) }
}
