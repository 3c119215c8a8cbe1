import Glibc
import LinuxCalls

/// A folder that stays the same one, whatever its path leads to meanwhile.
final class OpenFolder: Sendable {
  let path: String
  let descriptor: Int32

  /// Opens a folder by its path. A folder that may be written to and not read is opened for its names alone.
  init(path: String) throws(FilingFailure) {
    var descriptor = openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if descriptor < 0, errno == EACCES { descriptor = openPlace(AT_FDCWD, path, O_DIRECTORY) }
    guard descriptor >= 0 else { throw .system("cannot be read", path) }
    (self.path, self.descriptor) = (path, descriptor)
  }

  /// Opens a folder in another one; `nil` if there is none, or a link.
  init?(_ name: String, in parent: OpenFolder) {
    let descriptor = openat(parent.descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    (self.path, self.descriptor) = (parent.path(of: name), descriptor)
  }

  deinit { close(descriptor) }

  func path(of name: String) -> String { path.hasSuffix("/") ? path + name : "\(path)/\(name)" }

  /// What is under a name, a link itself included.
  func status(of name: String) -> stat? {
    var status = stat()
    return fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
  }

  /// Opens a file for reading; negative if there is no file, or if it is a link.
  func open(_ name: String) -> Int32 {
    openat(descriptor, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY)
  }

  /// The names in it, in their order; nil if it cannot be listed.
  var names: [String]? { folderNames(descriptor)?.sorted() }
}
