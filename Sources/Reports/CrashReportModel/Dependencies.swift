/// Code that a package manager fetched: it is linked into the program, and its authors are others.
enum Dependencies {
  /// Where SwiftPM, Xcode and Cargo keep the sources.
  private static let folders = [
    "/.build/checkouts/", "/SourcePackages/checkouts/", "/.cargo/registry/src/", "/.cargo/git/checkouts/",
  ]

  /// The part of a path below such a folder, from the dependency's name on: `swift-nio/Sources/…`; `nil` for other
  /// paths.
  static func path(in path: String) -> Substring? {
    folders.lazy.compactMap(path.end).first.map { path[$0...] } ?? scratchPath(in: path)
  }

  /// `…/.build/NAME/checkouts/…`, of a scratch path inside the usual one.
  private static func scratchPath(in path: String) -> Substring? {
    guard let build = path.end(of: "/.build/") else { return nil }
    let parts = path[build...].split(separator: "/", maxSplits: 2)
    return parts.count == 3 && parts[1] == "checkouts" ? parts[2] : nil
  }
}
