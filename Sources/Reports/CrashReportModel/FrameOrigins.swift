/// Decides where the code of a report's frames comes from.
///
/// This is the only rule for "the program's own code". The mark `>`, the fingerprint, the source lines and the formats
/// for other tools all use it.
public struct FrameOrigins: Sendable {
  /// Where the code comes from.
  public enum Origin: Sendable, Equatable {
    /// The program's own code.
    case program
    /// Code that a package manager fetched.
    case dependency
    /// A library that comes with the toolchain or with this package, or code that the toolchain generated.
    case toolchain
    /// Code of a runtime, the system or the compiler, as the frame's `isSystem` says.
    case system
  }

  /// The names of the report's images that lie in a toolchain's folders.
  private let toolchainImages: Set<String>

  /// Prepares the rule for the frames of a report.
  public init(_ report: CrashReport) {
    toolchainImages = Set(
      (report.images ?? []).compactMap { image in
        guard let name = image.name, let path = image.path, Self.isToolchainImage(path) else { return nil }
        return name
      })
  }

  /// The origin of a frame's code, as far as the report knows.
  public func origin(of frame: CrashReport.Frame) -> Origin {
    if frame.isSystem == true { return .system }
    let file = frame.sourceLocation?.file
    if let file, Dependencies.path(in: file) != nil { return .dependency }
    if let file, Self.isToolchainSource(file) { return .toolchain }
    guard let image = frame.image else { return .program }
    return toolchainImages.contains(image) || Self.isTestLibrary(image) ? .toolchain : .program
  }

  /// Whether a frame runs the program's own code.
  public func isOwn(_ frame: CrashReport.Frame) -> Bool { origin(of: frame) == .program }

  /// For a source file of a dependency, the part of its path that begins with the dependency's name:
  /// `swift-nio/Sources/…`; `nil` for other files.
  public static func dependencyPath(_ file: String) -> Substring? { Dependencies.path(in: file) }

  // MARK: The toolchain

  private static let imageFolders = ["/usr/lib/swift/", "/usr/libexec/swift/"]

  private static func isToolchainImage(_ path: String) -> Bool {
    imageFolders.contains(where: path.holds)
  }

  /// Known by name too: a container often has copies of them beside the program.
  private static let testLibraries = ["libXCTest.", "libTesting.", "lib_Testing"]

  private static func isTestLibrary(_ name: String) -> Bool { testLibraries.contains { name.hasPrefix($0) } }

  private static let sourceFolders = [
    // Headers and interfaces that the toolchain installs.
    "/usr/lib/swift/", "/usr/lib/clang/",
    // The libraries for tests, if they are linked statically.
    "/swift-testing/Sources/", "/swift-corelibs-xctest/Sources/",
    // What expands a macro, and what starts the tests of a package.
    "/swift-generated-sources/@__swiftmacro_", "Tests.derived/",
  ]

  private static func isToolchainSource(_ path: String) -> Bool {
    sourceFolders.contains(where: path.holds) || OwnCode.holds(path)
  }
}
