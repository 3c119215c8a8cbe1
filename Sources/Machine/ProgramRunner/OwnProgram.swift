import CLinuxCalls
import Glibc
import LinuxCalls

/// The file that this process was started from.
enum OwnProgram {
  /// A path to start it by once more. Without /proc it is the path by which this process was started.
  static var path: String {
    let link = "/proc/self/exe"
    if access(link, X_OK) == 0 { return link }
    return linux_started_path().map { String(systemText: $0) } ?? link
  }
}
