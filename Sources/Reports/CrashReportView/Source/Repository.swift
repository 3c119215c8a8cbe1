import Glibc
import LinuxCalls

/// The folder of a repository: the nearest one from the working folder upwards with `.git` in it.
struct Repository {
  let folder: AllowedFolder
  /// Whether its files may be shown: it is the working folder, or it belongs to the user. Any user may put `.git` into
  /// `/tmp`.
  let isTrusted: Bool

  /// `nil` if there is none; the root of the file system is none.
  init?(around workingDirectory: AllowedFolder) {
    var folder = workingDirectory
    while !folder.path.parts.isEmpty {
      if let git = folder.status(of: ".git") {
        self.folder = folder
        isTrusted = folder === workingDirectory || (Self.isUsers(git) && folder.status.map(Self.isUsers) == true)
        return
      }
      guard let parent = folder.parent else { return nil }
      folder = parent
    }
    return nil
  }

  private static func isUsers(_ status: stat) -> Bool { status.st_uid == geteuid() || status.st_uid == 0 }
}
