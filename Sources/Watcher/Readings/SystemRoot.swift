extension Watcher {
  /// The folder that contains `/proc`, `/sys` and `/etc`. Tests use a folder of their own.
  public struct SystemRoot: Sendable, Hashable {
    /// The folder's path; empty for the machine's own root.
    public let path: String

    /// The machine's own files.
    public static let machine = SystemRoot("")

    /// Uses the files below this folder.
    public init(_ path: String) { self.path = path.hasSuffix("/") ? String(path.dropLast()) : path }
  }
}
