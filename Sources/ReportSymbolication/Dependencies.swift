import CrashReportModel

/// Code that a package manager fetched: linked into the program, and none of its own.
enum Dependencies {
  /// Where SwiftPM, Xcode and Cargo keep the sources.
  private static let folders = [
    "/.build/checkouts/", "/SourcePackages/checkouts/", "/.cargo/registry/src/", "/.cargo/git/checkouts/",
  ]

  /// Whether a frame's function was compiled from such sources, as far as it is known from which.
  static func contain(_ frame: CrashReport.Frame) -> Bool {
    guard let path = frame.sourceLocation?.file else { return false }
    return folders.contains { path.firstRange(of: $0) != nil } || isScratchCheckout(path)
  }

  /// `…/.build/NAME/checkouts/…`, of a scratch path inside the usual one.
  private static func isScratchCheckout(_ path: String) -> Bool {
    guard let build = path.firstRange(of: "/.build/") else { return false }
    return path[build.upperBound...].split(separator: "/").dropFirst().first == "checkouts"
  }
}
