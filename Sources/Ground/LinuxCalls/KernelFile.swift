import Glibc

/// A file in `/proc` or `/sys`. The kernel generates its contents when a program reads the file.
public enum KernelFile {
  /// The file's bytes, at most `limit`.
  ///
  /// - Returns: `nil`, with errno, if the file cannot be opened or read, or is not a regular file.
  public static func read(_ path: String, atMost limit: Int = 64 << 10) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    var status = stat()
    var code: Int32 = fstat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? 0 : EINVAL
    var bytes: [UInt8] = []
    // The size that the kernel gives is 0.
    var piece = [UInt8](repeating: 0, count: min(limit, 64 << 10))
    while code == 0, bytes.count < limit {
      let count = Glibc.read(file, &piece, min(piece.count, limit - bytes.count))
      if count < 0, errno == EINTR { continue }
      if count < 0 { code = errno }
      guard count > 0 else { break }
      bytes += piece[..<count]
    }
    close(file)
    errno = code
    return code == 0 ? bytes : nil
  }
}
