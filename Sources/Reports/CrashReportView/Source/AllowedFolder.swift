import Glibc
import LinuxCalls

/// A folder whose files may be shown. It is opened once and stays the same folder, even if its path changes. The path
/// is only for display, and for comparison with recorded paths. Thread-safe.
public final class AllowedFolder: Sendable {
  /// Its path, without links.
  let path: SourcePath
  /// The folder as a place; negative if there is none.
  let descriptor: Int32

  private init(_ path: SourcePath, _ descriptor: Int32) { (self.path, self.descriptor) = (path, descriptor) }

  /// Opens the folder `name`, whose path is known; `nil` if the path names nothing. A folder that cannot be opened has no
  /// files.
  convenience init?(path: String, opening name: String) {
    guard let path = SourcePath(path) else { return nil }
    self.init(path, openPlace(AT_FDCWD, name, O_DIRECTORY))
  }

  /// Opens the folder that an argument names.
  ///
  /// - Throws: `Failure` if there is no such folder.
  init(named argument: String) throws(Failure) {
    let descriptor = openPlace(AT_FDCWD, argument, 0)
    guard descriptor >= 0 else { throw .notFound(errno) }
    guard let status = Self.status(of: descriptor), status.st_mode & S_IFMT == S_IFDIR,
      let path = resolvedPath(argument).flatMap(SourcePath.init)
    else {
      close(descriptor)
      throw .notAFolder
    }
    (self.path, self.descriptor) = (path, descriptor)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  enum Failure: Error {
    case notFound(Int32)
    case notAFolder
  }

  /// The working folder; `nil` if the system cannot name its path.
  public static func working() -> AllowedFolder? {
    workingFolder().flatMap { AllowedFolder(path: $0, opening: ".") }
  }

  /// The folder that this one lies in now; `nil` for the root of the file system.
  var parent: AllowedFolder? {
    guard !path.parts.isEmpty else { return nil }
    var above = path
    above.parts.removeLast()
    let parent = AllowedFolder(above, openPlace(descriptor, "..", O_DIRECTORY))
    guard let status = parent.status, let own = self.status, !status.isSameFile(as: own) else { return nil }
    return parent
  }

  /// What kind of folder it is, and whose; `nil` if it could not be opened.
  var status: stat? { Self.status(of: descriptor) }

  private static func status(of descriptor: Int32) -> stat? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? status : nil
  }

  /// What is under a name in it, a link itself included.
  func status(of name: String) -> stat? {
    var status = stat()
    return fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
  }
}
