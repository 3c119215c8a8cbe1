import Glibc
import LinuxCalls

/// libdebuginfod's cache folder: one folder a build ID, and in it a file of each kind (debuginfod_find_debuginfo(3)).
enum DebuginfodCache {
  /// Nil if it would be made in the root folder.
  static var folder: String? {
    if let path = variable("DEBUGINFOD_CACHE_PATH") { return path }
    let home = variable("HOME")
    // The place of older versions is used if it is there.
    if let old = home.map({ $0 + "/.debuginfod_client_cache" }), access(old, F_OK) == 0 { return old }
    return (variable("XDG_CACHE_HOME") ?? home.map { $0 + "/.cache" }).map { $0 + "/debuginfod_client" }
  }

  /// Removes the note, an empty file, that a server had no such file.
  static func forgetMiss(_ kind: Debuginfod.Kind, _ buildID: [UInt8]) {
    guard let folder else { return }
    let path = "\(folder)/\(BuildID.hex(buildID))/\(kind.rawValue)"
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size == 0 else { return }
    unlink(path)
  }

  private static func variable(_ name: String) -> String? {
    LinuxCalls.environment(name).flatMap { $0.isEmpty ? nil : $0 }
  }
}
