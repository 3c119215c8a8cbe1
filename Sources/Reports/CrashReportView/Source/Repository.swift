import Glibc
import LinuxCalls

/// The folder of a repository: the nearest one from the working folder upwards with `.git` in it.
struct Repository {
  let folder: SourcePath
  /// Whether its files may be shown: it is the working folder, or it belongs to the user. Anybody may put a `.git` into
  /// `/tmp`.
  let isTrusted: Bool

  /// `nil` if there is none; the root of the file system is none.
  init?(around workingDirectory: SourcePath) {
    var folder = workingDirectory
    while !folder.parts.isEmpty {
      var status = stat()
      if lstat(folder.text + "/.git", &status) == 0 {
        self.folder = folder
        isTrusted = folder == workingDirectory || Self.belongsToUser([folder.text, folder.text + "/.git"])
        return
      }
      folder.parts.removeLast()
    }
    return nil
  }

  private static func belongsToUser(_ paths: [String]) -> Bool {
    paths.allSatisfy { path in
      var status = stat()
      return lstat(path, &status) == 0 && (status.st_uid == geteuid() || status.st_uid == 0)
    }
  }
}
