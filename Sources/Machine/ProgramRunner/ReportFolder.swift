import CrashReportModel
import Glibc
import LinuxCalls

/// The folder of the program's reports, as an open descriptor. If the folder or a report is a symbolic link, the
/// functions do not follow the link.
public final class ReportFolder: Sendable {
  /// Its absolute path.
  public let path: String
  /// The folder itself.
  public let descriptor: Int32
  /// Whether it was made only for this run.
  public let isPrivate: Bool
  /// The files that were there before.
  private let earlier: Set<String>

  /// Opens the requested folder, or the folder of `CRASHKIT_DIRECTORY`, or makes a private folder for this run.
  ///
  /// - Throws: `RunFailure` with status 74 if it cannot be made or read, or if it is a link.
  public init(asked: String?) throws(RunFailure) {
    let wanted = asked ?? environment("CRASHKIT_DIRECTORY").flatMap { $0.isEmpty ? nil : $0 }
    isPrivate = wanted == nil
    if let wanted {
      path = Self.absolute(wanted)
      if let error = makeFolders(path) { throw .folder(error, path) }
    } else {
      path = try Self.makePrivate()
    }
    descriptor = try Self.open(path)
    earlier = Set(Self.names(in: descriptor))
  }

  deinit { close(descriptor) }

  /// As the program will see it, whatever its working folder. A slash at the end would make a link be followed.
  private static func absolute(_ path: String) -> String {
    var scalars = path.unicodeScalars
    while scalars.count > 1, scalars.last == "/" { scalars.removeLast() }
    if scalars.first == "/" { return String(scalars) }
    return workingFolder().map { "\($0)/\(String(scalars))" } ?? String(scalars)
  }

  private static func makePrivate() throws(RunFailure) -> String {
    let parent = absolute(environment("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp")
    var template = "\(parent)/crashsym-run-XXXXXX".systemText
    guard mkdtemp(&template) != nil else { throw .folder(errno, parent) }
    return String(systemText: template)
  }

  private static func open(_ path: String) throws(RunFailure) -> Int32 {
    let descriptor = LinuxCalls.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor < 0 else { return descriptor }
    let code = errno
    var status = stat()
    let isLink = lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    throw .folder(isLink ? ELOOP : code, path)
  }

  /// The names of the reports that are new since the run began, oldest first. If `pid` is not `nil`, the list has only
  /// reports of that process.
  ///
  /// The list also has each incomplete report, unless the folder has the complete form of the same report.
  public func newReports(of pid: Int32?) -> [String] {
    let names = Set(Self.names(in: descriptor)).subtracting(earlier)
    return names.sorted().filter { name in
      let parts = name.split(separator: "-")
      guard parts.count >= 3, pid == nil || parts[1] == "\(pid!)" else { return false }
      let whole = ReportName.whole(name)
      return whole.hasSuffix(ReportName.suffix) && (name == whole || !names.contains(whole))
    }
  }

  /// Whether no file had this name when the run began.
  public func isNew(_ name: String) -> Bool { !earlier.contains(name) }

  /// The path of a file in the folder, for messages.
  public func path(of name: String) -> String { "\(path)/\(name)" }

  /// Opens a report for reading. It must be a regular file that belongs to this user. The caller closes the returned
  /// descriptor.
  ///
  /// - Throws: `RunFailure` with status 74 if the file cannot be opened, or if it is not such a file.
  public func open(_ name: String) throws(RunFailure) -> Int32 {
    let file = openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard file >= 0 else { throw .unreadable(errno == ELOOP ? "is a symbolic link" : errorText(errno), path(of: name)) }
    var status = stat()
    if fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() { return file }
    close(file)
    let isFile = status.st_mode & S_IFMT == S_IFREG
    throw .unreadable(isFile ? "belongs to user \(status.st_uid)" : "is not a regular file", path(of: name))
  }

  /// Removes the breadcrumbs of ended processes from a private folder, and the folder if it is then empty.
  ///
  /// It does not remove the files of processes that still run: such a process holds a lock on its file.
  public func tidyUp() {
    guard isPrivate else { return }
    Self.removeLeftRings(in: descriptor)
    rmdir(path)
  }

  /// Removes the breadcrumbs of programs that are gone: those whose names begin so.
  static func removeLeftRings(in folder: Int32, beginning: String = "") {
    for name in names(in: folder) where name.hasSuffix(".ring") && name.hasPrefix(beginning) {
      let file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
      guard file >= 0 else { continue }
      if flock(file, LOCK_EX | LOCK_NB) == 0 { unlinkat(folder, name, 0) }
      close(file)
    }
  }

  static func names(in folder: Int32) -> [String] {
    (folderNames(folder) ?? []).filter { $0.utf8.first != UInt8(ascii: ".") }
  }
}

/// Makes a private folder, with the folders above it, as CrashKit does. Returns nil, or the errno if the last folder is
/// missing and cannot be made.
public func makeFolders(_ path: String) -> Int32? {
  let scalars = path.unicodeScalars
  for end in scalars.indices.dropFirst() where scalars[end] == "/" { _ = makeFolder(String(scalars[..<end])) }
  return makeFolder(path)
}

/// Whatever the umask says.
private func makeFolder(_ path: String) -> Int32? {
  guard mkdir(path, 0o700) == 0 else { return errno == EEXIST ? nil : errno }
  fchmodat(AT_FDCWD, path, 0o700, AT_SYMLINK_NOFOLLOW)
  return nil
}
