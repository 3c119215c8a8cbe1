import CLinuxCalls
import Glibc
import LinuxCalls

/// A regular file below a folder. The way to it cannot leave the folder, whoever changes what lies there meanwhile.
///
/// Each part of the path is opened by itself from the folder before it, as a place only: to open a pipe or a device for
/// reading can act on it. Links count if they lead to another place in the folder. Hidden files and folders do not count,
/// but for `.build`.
final class FileBelow {
  private static let mostLinks = 40
  private static let deepest = 256

  private let outermost: AllowedFolder
  /// The folders below it, down to that of the file.
  private var folders: [Int32] = []
  private var file: (descriptor: Int32, name: String)?
  /// Whether users other than the owner and the group may read the file where it lies, and it has no other name.
  private(set) var isForAll = true

  /// Finds the file; `nil` if there is none, or the way to it leaves the folder.
  init?(_ parts: [String], below folder: AllowedFolder) {
    outermost = folder
    guard folder.descriptor >= 0, walk(parts) else { return nil }
  }

  deinit {
    for folder in folders { close(folder) }
    if let file { close(file.descriptor) }
  }

  private func walk(_ parts: [String]) -> Bool {
    var pending = Array(parts.reversed())
    var links = 0
    while let part = pending.popLast() {
      if part == ".." {
        guard !folders.isEmpty else { return false }
        close(folders.removeLast())
        continue
      }
      guard Self.isVisible(part), folders.count < Self.deepest else { return false }
      let descriptor = openPlace(innermost, part, O_NOFOLLOW)
      guard descriptor >= 0 else { return false }
      let status = Self.status(of: descriptor)
      let mode = status?.st_mode ?? 0
      switch mode & S_IFMT {
      case S_IFDIR:
        folders.append(descriptor)
        if mode & S_IXOTH == 0 { isForAll = false }
      case S_IFREG where pending.isEmpty:
        file = (descriptor, part)
        // Another name of it may be hidden, or lie in another folder.
        if mode & S_IROTH == 0 || status?.st_nlink != 1 { isForAll = false }
      case S_IFLNK:
        let target = Self.target(of: descriptor)
        close(descriptor)
        links += 1
        guard links <= Self.mostLinks, let target else { return false }
        pending += target.reversed()
      default:
        close(descriptor)
        return false
      }
    }
    return file != nil
  }

  private var innermost: Int32 { folders.last ?? outermost.descriptor }

  private static func isVisible(_ part: String) -> Bool {
    let bytes = part.utf8
    return !bytes.contains(0) && !bytes.contains(UInt8(ascii: "/"))
      && (bytes.first != UInt8(ascii: ".") || part == ".build")
  }

  /// The parts of what a link leads to; `nil` for an absolute path, which leaves the folder.
  private static func target(of link: Int32) -> [String]? {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = buffer.withUnsafeMutableBytes { bytes in
      readlinkat(link, "", bytes.baseAddress!.assumingMemoryBound(to: CChar.self), bytes.count)
    }
    guard count > 0, count < buffer.count, buffer[0] != UInt8(ascii: "/") else { return nil }
    return buffer[..<count].split(separator: UInt8(ascii: "/")).map { String(systemBytes: $0) }.filter {
      $0 != "."
    }
  }

  private static func status(of descriptor: Int32) -> stat? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? status : nil
  }

  /// The file's bytes and when it was changed, in seconds since 1970; `nil` for a larger file than that, or if it was
  /// replaced since it was found.
  func read(atMost largest: Int) -> (bytes: [UInt8], modified: Int)? {
    guard let file, let found = Self.status(of: file.descriptor) else { return nil }
    let descriptor = openat(
      innermost, file.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    guard let status = Self.status(of: descriptor), status.isSameFile(as: found),
      status.st_mode == found.st_mode, (1...largest).contains(Int(status.st_size))
    else { return nil }
    let size = Int(status.st_size)
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      while count < size {
        let got = Glibc.read(descriptor, buffer.baseAddress! + count, size - count)
        if got < 0 && errno == EINTR { continue }
        if got <= 0 { break }
        count += got
      }
    }
    return bytes.isEmpty ? nil : (bytes, Int(status.st_mtim.tv_sec))
  }
}
