import CrashReportModel
import Glibc

/// The folder that the program's reports go to.
public struct ReportFolder: Sendable {
  /// Its absolute path.
  public let path: String
  /// Whether it was made for this run alone.
  public let isPrivate: Bool
  /// The files that were there before.
  private let earlier: Set<String>

  /// Opens the folder that was asked for, or one of `CRASHKIT_DIRECTORY`, or makes a private one for this run.
  ///
  /// - Throws: `RunFailure` with status 74 where it cannot be made or read.
  public init(asked: String?) throws(RunFailure) {
    let wanted = asked ?? environment("CRASHKIT_DIRECTORY").flatMap { $0.isEmpty ? nil : $0 }
    isPrivate = wanted == nil
    if let wanted {
      if let error = makeFolders(wanted) { throw .folder(error, wanted) }
      guard let resolved = realpath(wanted, nil) else { throw .folder(errno, wanted) }
      path = String(cString: resolved)
      free(resolved)
    } else {
      let parent = environment("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
      var template = Array("\(parent)/crashsym-run-XXXXXX".utf8CString)
      guard mkdtemp(&template) != nil else { throw .folder(errno, parent) }
      path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }
    guard let names = Self.names(in: path) else { throw .folder(errno, path) }
    earlier = Set(names)
  }

  /// The paths of reports that came since, oldest first: of one process, or of any.
  ///
  /// A report whose writing was cut off is among them where no whole one is beside it.
  public func newReports(of pid: Int32?) -> [String] {
    let names = Set(Self.names(in: path) ?? []).subtracting(earlier)
    return names.sorted().filter { name in
      let parts = name.split(separator: "-")
      guard parts.count >= 3, pid == nil || parts[1] == "\(pid!)" else { return false }
      let whole = ReportName.whole(name)
      return whole.hasSuffix(ReportName.suffix) && (name == whole || !names.contains(whole))
    }.map { "\(path)/\($0)" }
  }

  /// Clears a private folder of the breadcrumbs of processes that are gone, and removes it where nothing else is left.
  ///
  /// A process that lives on holds a lock on its file.
  public func tidyUp() {
    guard isPrivate else { return }
    for name in Self.names(in: path) ?? [] where name.hasSuffix(".ring") {
      let descriptor = open("\(path)/\(name)", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink("\(path)/\(name)") }
      close(descriptor)
    }
    rmdir(path)
  }

  private static func names(in path: String) -> [String]? {
    guard let stream = opendir(path) else { return nil }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names
  }
}

/// Makes a folder and those above it, private, as CrashKit does. Returns nil, or the errno of the last where it cannot be
/// made and is not there.
public func makeFolders(_ path: String) -> Int32? {
  for end in path.indices.dropFirst() where path[end] == "/" { mkdir(String(path[..<end]), 0o700) }
  return mkdir(path, 0o700) == 0 || errno == EEXIST ? nil : errno
}
