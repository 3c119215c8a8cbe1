import Glibc
import LinuxCalls

/// The file at a path, with its times: another value means that the file or its contents have changed.
struct FileIdentity: Sendable, Hashable {
  private let text: String

  init(_ status: stat) {
    // The time of change cannot be set back as that of modification can.
    text =
      "\(status.st_ino) \(status.st_size) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
      + " \(status.st_ctim.tv_sec).\(status.st_ctim.tv_nsec)"
  }

  init?(path: String) {
    var status = stat()
    guard !path.utf8.contains(0), stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  init?(descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  /// On one line.
  var description: String { text }
}
