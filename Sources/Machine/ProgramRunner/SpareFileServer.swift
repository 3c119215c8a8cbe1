import CLinuxCalls
import Glibc
import LinuxCalls

/// Makes files in the folder for programs that may not: they gave up their user and became another program by exec.
///
/// A program asks on a local socket, whose name is in its environment. So no program gets a descriptor that it does not ask
/// for. See spare_request.c.
final class SpareFileServer {
  static let variable = "CRASHKIT_SPARE"
  /// There are no more files at a time.
  private static let mostFiles = 64

  /// The socket's name.
  let name: String
  private let folder: Int32
  private var listener: Int32

  /// Nil if no program can need it: this process is not root, so nothing that it starts can give up its user.
  init?(folder: Int32) {
    guard geteuid() == 0 else { return nil }
    var generator = SystemRandomNumberGenerator()
    name = "crashkit-" + (0..<2).map { _ in String(generator.next(), radix: 16) }.joined()
    listener = linux_listen_by_signal(name, UInt(name.utf8.count))
    guard listener >= 0 else { return nil }
    self.folder = folder
  }

  deinit { stop() }

  /// Takes no more calls.
  func stop() {
    if listener >= 0 { close(listener) }
    listener = -1
  }

  /// Answers all programs that have called. Every user of the machine can see the socket's name, so only the program gets a
  /// file, and the processes that it started if those are watched.
  func serve(program: pid_t, andChildren follows: Bool) {
    var caller: pid_t = 0
    while true {
      let connection = linux_accept_process(listener, &caller)
      guard connection >= 0 else { return }
      if caller == program || (follows && Self.descends(caller, from: program)), hasRoom {
        hand(over: connection, to: caller)
      }
      close(connection)
    }
  }

  /// A process that ends well takes its file along.
  private var hasRoom: Bool {
    ReportFolder.names(in: folder).count { $0.hasSuffix(".spare") } < Self.mostFiles
  }

  /// Whether the program started the process, or a process that it started did.
  private static func descends(_ process: pid_t, from program: pid_t) -> Bool {
    var ancestor = process
    for _ in 0..<64 where ancestor > 1 {
      guard let parent = ProcessStatus(of: ancestor)?.parent else { return false }
      // The program's orphans are children of this process if it is PID 1.
      if parent == program || (parent == getpid() && parent == 1) { return true }
      ancestor = parent
    }
    return false
  }

  /// As `make` in spare_file.c does: under a name of its own until it is locked.
  private func hand(over connection: Int32, to caller: pid_t) {
    let instance = UInt64.random(in: 1 << 60...UInt64.max)
    let name = "\(caller)-\(String(instance, radix: 16)).spare"
    let file = openat(folder, name + ".new", O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { return }
    // The lock belongs to the open file, so it stays with the program.
    defer { close(file) }
    guard flock(file, LOCK_EX | LOCK_NB) == 0, renameat(folder, name + ".new", folder, name) == 0 else {
      unlinkat(folder, name + ".new", 0)
      return
    }
    // They are of the program that this process was before. It did not die, so no report is due.
    ReportFolder.removeLeftRings(in: folder, beginning: "\(caller)-")
    if linux_send_descriptor(connection, file, name, UInt(name.utf8.count)) != 0 { unlinkat(folder, name, 0) }
  }
}
