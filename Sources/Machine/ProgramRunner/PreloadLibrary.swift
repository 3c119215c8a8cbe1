import Glibc
import LinuxCalls

/// Finds the libraries that `crashsym` preloads into programs.
public enum PreloadLibrary {
  case crashCapture
  case threadGuard
  case memoryGuard

  private var product: String {
    switch self {
    case .crashCapture: "CrashKitPreload"
    case .threadGuard: "ThreadGuardPreload"
    case .memoryGuard: "CrashKitGuardPreload"
    }
  }

  private var variable: String {
    switch self {
    case .crashCapture: "CRASHSYM_PRELOAD"
    case .threadGuard: "CRASHSYM_PRELOAD_THREADGUARD"
    case .memoryGuard: "CRASHSYM_PRELOAD_GUARD"
    }
  }

  /// Returns the library's path. Each library has an environment variable for its path: `CRASHSYM_PRELOAD`,
  /// `CRASHSYM_PRELOAD_THREADGUARD` or `CRASHSYM_PRELOAD_GUARD`. If the variable is not set, the function looks for the
  /// library in this executable's folder, in `../lib` and in `../lib/crashkit`.
  ///
  /// - Throws: `RunFailure` with status 66 if the library is in none of these places, and 64 if its path has a
  ///   character that `LD_PRELOAD` does not allow.
  public func find() throws(RunFailure) -> String {
    let candidates: [String]
    if let path = environment(variable), !path.isEmpty {
      candidates = [path]
    } else {
      guard let folder = Self.executableFolder else {
        throw .missing("this command's file was removed, so the library to preload cannot be found; set", variable)
      }
      let name = "lib\(product).so"
      candidates = ["\(folder)/\(name)", "\(folder)/../lib/\(name)", "\(folder)/../lib/crashkit/\(name)"]
    }
    for candidate in candidates {
      guard let path = resolvedPath(candidate) else { continue }
      var status = stat()
      guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
      guard !path.utf8.contains(where: { $0 == UInt8(ascii: ":") || $0 == 0x20 || (0x09...0x0D).contains($0) }) else {
        throw .refused("the library to preload has a blank or a colon in its path", path)
      }
      return path
    }
    throw .missing(
      "the library to preload is missing; Scripts/install puts it beside crashsym, and in a clone `swift build --product "
        + "\(product)` builds it; looked for",
      candidates.joined(separator: ", "))
  }

  /// Never the working folder: any user may have put a file there.
  private static var executableFolder: String? {
    guard let path = resolvedPath(OwnProgram.path)?.unicodeScalars else { return nil }
    return path.lastIndex(of: "/").map { String(path[..<$0]) }
  }
}
