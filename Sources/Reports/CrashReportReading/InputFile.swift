import Glibc
import LinuxCalls

/// Reads the bytes of an input, always with a limit.
public enum InputFile {
  /// The limit in bytes. Reports are far smaller. If a log is larger, keep only the part around the crash.
  public static let defaultLimit = 256 << 20

  /// Reads a regular file.
  ///
  /// Opening does not block on a FIFO without a writer. Only regular files are read, because a device may be endless,
  /// and reading it may have effects.
  ///
  /// - Throws: `ReadingError` if the path is not a regular file, cannot be read, or is larger than `limit` bytes.
  public static func read(path: String, limit: Int = defaultLimit) throws(ReadingError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0 else { throw openingFailed(errno) }
    defer { close(descriptor) }
    return try read(file: descriptor, limit: limit)
  }

  /// Reads a regular file that is open.
  ///
  /// - Throws: `ReadingError` if it is not a regular file, cannot be read, or is larger than `limit` bytes.
  public static func read(file descriptor: Int32, limit: Int = defaultLimit) throws(ReadingError) -> [UInt8] {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw readingFailed(errno) }
    try requireRegularFile(status.st_mode)
    guard status.st_size <= limit else { throw tooLarge(limit) }
    return try read(descriptor: descriptor, expecting: Int(status.st_size), limit: limit)
  }

  /// Reads standard input to its end.
  ///
  /// - Throws: `ReadingError` if it cannot be read or holds more than `limit` bytes.
  public static func readStandardInput(limit: Int = defaultLimit) throws(ReadingError) -> [UInt8] {
    var status = stat()
    guard fstat(STDIN_FILENO, &status) == 0 else { throw readingFailed(errno) }
    if status.st_mode & S_IFMT == S_IFDIR { throw ReadingError(.noInput, "a folder, not a report") }
    return try read(descriptor: STDIN_FILENO, expecting: 64 << 10, limit: limit)
  }

  private static func requireRegularFile(_ mode: mode_t) throws(ReadingError) {
    let what: String
    switch mode & S_IFMT {
    case S_IFREG: return
    case S_IFDIR: what = "a folder, not a report; give the *.json files in it"
    case S_IFIFO: what = "a pipe, not a file; give it on standard input"
    case S_IFSOCK: what = "a socket, not a file"
    default: what = "a device, not a file"
    }
    throw ReadingError(.noInput, what)
  }

  private static func read(descriptor: Int32, expecting size: Int, limit: Int) throws(ReadingError) -> [UInt8] {
    var bytes: [UInt8] = []
    var capacity = size + 1
    while true {
      let room = min(capacity, limit + 1 - bytes.count)
      let chunk = try readChunk(descriptor, atMost: min(room, 16 << 20))
      if chunk.isEmpty { return bytes }
      if bytes.isEmpty { bytes.reserveCapacity(min(size, limit) + 1) }
      bytes += chunk
      guard bytes.count <= limit else { throw tooLarge(limit) }
      capacity = 1 << 20
    }
  }

  /// Waits until there are bytes, and returns them. At the end of the input, returns an empty array.
  ///
  /// - Throws: `ReadingError` if the descriptor cannot be read.
  public static func readChunk(_ descriptor: Int32, atMost size: Int) throws(ReadingError) -> [UInt8] {
    var failure: Int32 = 0
    let chunk = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      var got = Glibc.read(descriptor, buffer.baseAddress, size)
      while got < 0, errno == EINTR || waitUntilReadable(descriptor, errno) {
        got = Glibc.read(descriptor, buffer.baseAddress, size)
      }
      failure = got < 0 ? errno : 0
      count = max(got, 0)
    }
    guard failure == 0 else { throw readingFailed(failure) }
    return chunk
  }

  /// Another program may have made standard input non-blocking.
  private static func waitUntilReadable(_ descriptor: Int32, _ code: Int32) -> Bool {
    guard code == EAGAIN else { return false }
    var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&poller, 1, -1) > 0
  }

  private static func openingFailed(_ code: Int32) -> ReadingError {
    switch code {
    case ENOENT, ENOTDIR: ReadingError(.noInput, "no such file")
    case ENXIO: ReadingError(.noInput, "not a file, but a socket, or a device that has no driver")
    default: ReadingError(.noInput, "cannot be opened: \(description(of: code))")
    }
  }

  private static func readingFailed(_ code: Int32) -> ReadingError {
    ReadingError(.inputOutput, "cannot be read: \(description(of: code))")
  }

  private static func tooLarge(_ limit: Int) -> ReadingError {
    ReadingError(.notAReport, "more than \(limit >> 20) MiB; if it is a log, cut out the part around the crash")
  }

  private static func description(of code: Int32) -> String {
    errorText(code)
  }
}
