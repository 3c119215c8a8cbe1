/// Finds the file of an image where `Symbolicator` would: for those who need the file itself, such as its unwind tables.
public struct ImageFileSearch: Sendable {
  private let options: SymbolicationOptions
  private let sources: SymbolSources

  /// Searches in the folders that the options name, and asks no server.
  public init(_ options: SymbolicationOptions = .init()) {
    self.options = options
    sources = SymbolSources(folders: SymbolFolders(options.symbolDirectories), debuginfod: nil)
  }

  /// The path of the image's file, of the same build wherever the image names one; nil where there is none. A debug
  /// file, which lacks code and unwind tables, is given only if there is nothing else.
  public func path(of image: ImageReference) -> String? {
    var search = DebugFileSearch(for: image, options, sources)
    return (search.imageFile { $0.hasSection(".text") } ?? search.imageFile())?.path
  }

  /// A descriptor of a regular file, for reading; nil for anything else. The caller closes it.
  public static func open(_ path: String) -> Int32? { RegularFile.open(path) }
}
