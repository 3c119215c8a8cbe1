import CLinuxCalls
import Glibc
import LinuxCalls

/// The source of the facts that the checks use: this machine, or in a test a replacement for it.
public struct Machine: Sendable {
  /// The folder in which the checks look for absolute paths, as if it was the root folder; an empty text for this
  /// machine.
  public var root: String
  /// The environment in which programs will run.
  public var environment: [String: String]
  /// Tries to read this process's memory with `process_vm_readv`. Returns 0 if the read succeeded, otherwise the
  /// `errno`.
  public var readsOwnMemory: @Sendable () -> Int32
  /// Whether a shared library can be opened.
  public var opensLibrary: @Sendable (String) -> Bool

  /// Describes a machine.
  public init(
    root: String, environment: [String: String], readsOwnMemory: @escaping @Sendable () -> Int32,
    opensLibrary: @escaping @Sendable (String) -> Bool
  ) {
    self.root = root
    self.environment = environment
    self.readsOwnMemory = readsOwnMemory
    self.opensLibrary = opensLibrary
  }

  /// A variable that is set to something.
  func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }

  /// The first 64 KiB of a file; nil if it cannot be read.
  func text(_ path: String) -> String? {
    KernelFile.read(root + path).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The value of a line `name: value`, as in `/proc/self/status`.
  func field(_ name: String, of path: String) -> String? {
    guard let text = text(path) else { return nil }
    for line in text.split(separator: "\n") where line.hasPrefix(name + ":") {
      return String(line.dropFirst(name.count + 1).trimmingBlanks)
    }
    return nil
  }

  func status(of path: String) -> stat? {
    var status = stat()
    return stat(root + path, &status) == 0 ? status : nil
  }

  func isFolder(_ path: String) -> Bool { status(of: path).map { $0.st_mode & S_IFMT == S_IFDIR } ?? false }

  func exists(_ path: String) -> Bool { status(of: path) != nil }

  /// Whether files can be made in a folder. Rights are not enough: even root can make no file in /proc.
  func isWritable(_ path: String) -> Bool {
    guard isFolder(path), access(root + path, W_OK | X_OK) == 0 else { return false }
    let name = "\(root)\(path)/.crashsym-doctor-\(getpid())"
    let descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    // A full disk may have room again when it matters.
    guard descriptor >= 0 else { return errno == ENOSPC || errno == EDQUOT }
    close(descriptor)
    unlink(name)
    return true
  }

  /// The bytes that are free on a folder's disk.
  func space(_ path: String) -> UInt64? {
    var information = Glibc.statvfs()
    guard statvfs(root + path, &information) == 0 else { return nil }
    return UInt64(information.f_bavail) * UInt64(information.f_frsize)
  }

  /// A folder's nearest one above that is there.
  func nearestFolder(above path: String) -> String {
    var path = path
    while path.count > 1 {
      let end = path.lastIndex(of: "/") ?? path.startIndex
      path = end == path.startIndex ? "/" : String(path[..<end])
      if exists(path) { return path }
    }
    return "/"
  }
}

extension Machine {
  /// This machine, as this process sees it.
  public static var this: Machine {
    Machine(root: "", environment: ProcessVariables.own.values, readsOwnMemory: readOwnMemory) { name in
      guard let handle = dlopen(name, RTLD_NOW | RTLD_LOCAL) else { return false }
      dlclose(handle)
      return true
    }
  }

  private static let readOwnMemory: @Sendable () -> Int32 = {
    var from: UInt64 = 1
    var to: UInt64 = 0
    return linux_copy_own_memory(&from, &to, 8)
  }
}

extension Substring {
  var trimmingBlanks: Substring {
    var text = self.drop { $0.isWhitespace }
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }
}
