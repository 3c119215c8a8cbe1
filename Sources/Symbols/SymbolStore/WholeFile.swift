import Glibc
import LinuxCalls

/// A regular file, read whole: what is mapped can vanish while it is looked at.
final class WholeFile {
  let path: String
  let status: stat
  /// Open for reading as long as this lives: the path may lead to another file meanwhile.
  let descriptor: Int32
  private let memory: UnsafeMutableRawBufferPointer

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(memory) }

  /// Reads the file at a path.
  convenience init(path: String) throws(FilingFailure) {
    try self.init(open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY), path, nil)
  }

  /// Reads a file that was found in a folder, and no other that stands at its path now.
  convenience init(_ file: FolderWalk.File) throws(FilingFailure) {
    try self.init(
      open(file.path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY), file.path, file.status)
  }

  private init(_ descriptor: Int32, _ path: String, _ expected: stat?) throws(FilingFailure) {
    guard descriptor >= 0 else { throw .system("cannot be opened", path) }
    do throws(FilingFailure) {
      (status, memory) = try Self.read(descriptor, path, expected)
    } catch {
      close(descriptor)
      throw error
    }
    self.descriptor = descriptor
    self.path = path
  }

  deinit {
    Self.free(memory)
    close(descriptor)
  }

  private static func read(
    _ descriptor: Int32, _ path: String, _ expected: stat?
  ) throws(FilingFailure) -> (stat, UnsafeMutableRawBufferPointer) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .system("cannot be read", path) }
    guard expected.map(status.isSameFile) ?? true else {
      throw .unusable("has changed since its folder was listed", path)
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: throw FilingFailure(kind: .noInput, what: "a folder, not a file", path: path)
    default: throw FilingFailure(kind: .noInput, what: "not a regular file", path: path)
    }
    let memory = try allocate(Int(status.st_size), path)
    do throws(FilingFailure) {
      var place = 0
      while let data = nextData(descriptor, from: place, to: memory.count) {
        try fill(UnsafeMutableRawBufferPointer(rebasing: memory[data]), from: descriptor, at: data.lowerBound, path)
        place = data.upperBound
      }
    } catch {
      free(memory)
      throw error
    }
    return (status, memory)
  }

  /// Zeros that take no memory until they are written to: a file may be mostly holes.
  private static func allocate(_ count: Int, _ path: String) throws(FilingFailure) -> UnsafeMutableRawBufferPointer {
    guard count > 0 else { return UnsafeMutableRawBufferPointer(start: nil, count: 0) }
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
    guard let start = mmap(nil, count, PROT_READ | PROT_WRITE, flags, -1, 0), start != MAP_FAILED else {
      throw .system("cannot be read", path)
    }
    return UnsafeMutableRawBufferPointer(start: start, count: count)
  }

  private static func free(_ memory: UnsafeMutableRawBufferPointer) {
    if let start = memory.baseAddress { munmap(start, memory.count) }
  }

  /// `SEEK_DATA` and `SEEK_HOLE` of unistd.h, which are for programs with GNU's extensions only.
  private static let (seekData, seekHole): (Int32, Int32) = (3, 4)

  /// The next part of the file that is no hole. A file system that does not know has none.
  private static func nextData(_ descriptor: Int32, from place: Int, to end: Int) -> Range<Int>? {
    guard place < end else { return nil }
    let start = lseek(descriptor, place, seekData)
    guard start >= 0 else { return errno == ENXIO ? nil : place..<end }
    guard start < end else { return nil }
    let hole = lseek(descriptor, start, seekHole)
    return start..<(hole > start ? min(hole, end) : end)
  }

  private static func fill(
    _ memory: UnsafeMutableRawBufferPointer, from descriptor: Int32, at place: Int, _ path: String
  ) throws(FilingFailure) {
    var filled = 0
    while filled < memory.count {
      let count = pread(descriptor, memory.baseAddress! + filled, memory.count - filled, off_t(place + filled))
      if count < 0, errno == EINTR { continue }
      guard count != 0 else { throw .unusable(changed, path) }
      guard count > 0 else { throw .system("cannot be read", path) }
      filled += count
    }
  }

  /// `F_SETLEASE` of linux/fcntl.h, which Swift's Glibc module does not show.
  private static let setLease: Int32 = 1_024

  static let changed = "was changed while it was read"

  /// Whether a program has the file open for writing, as far as the kernel says: it lets only the owner ask, and not
  /// on every file system.
  var isBeingWritten: Bool {
    guard fcntl(descriptor, Self.setLease, F_RDLCK) == 0 else { return errno == EAGAIN }
    _ = fcntl(descriptor, Self.setLease, F_UNLCK)
    return false
  }

  /// Whether a folder has the file under this name, as it was read.
  func isUnchanged(_ name: String, in folder: OpenFolder) -> Bool {
    guard let now = folder.status(of: name) else { return false }
    return now.isSameFile(as: status) && now.st_size == status.st_size
      && now.st_mtim.tv_sec == status.st_mtim.tv_sec && now.st_mtim.tv_nsec == status.st_mtim.tv_nsec
      && now.st_ctim.tv_sec == status.st_ctim.tv_sec && now.st_ctim.tv_nsec == status.st_ctim.tv_nsec
  }
}
