import Glibc
import LinuxCalls

/// What the machine says now, to be compared with what a process noted at its start.
struct Surroundings {
  /// The number of this boot; empty where it cannot be read.
  let bootID: String
  /// Out-of-memory kills on this machine since it started; `nil` where the kernel does not count them.
  let machineMemoryKills: UInt64?

  init() {
    bootID = Self.text(of: "/proc/sys/kernel/random/boot_id").map { String($0.prefix { $0 != "\n" }) } ?? ""
    machineMemoryKills = Self.counter("oom_kill", in: "/proc/vmstat")
  }

  /// For tests of what follows from it.
  init(bootID: String, machineMemoryKills: UInt64?) {
    self.bootID = bootID
    self.machineMemoryKills = machineMemoryKills
  }

  /// Out-of-memory kills in a control group; `nil` where its file is gone, or belongs to another group of the name.
  func memoryKills(in path: String, inode: UInt64) -> UInt64? {
    guard path.hasPrefix("/sys/fs/cgroup/"), !path.split(separator: "/").contains("..") else { return nil }
    var status = stat()
    guard lstat(path, &status) == 0, UInt64(status.st_ino) == inode else { return nil }
    return Self.counter("oom_kill", in: path)
  }

  /// Whether a process is alive: one in this namespace of process ids, with the same start.
  func isAlive(pid: UInt32, startTicks: UInt64, namespace: UInt64) -> Bool {
    var status = stat()
    guard startTicks > 0, stat("/proc/self/ns/pid", &status) == 0, UInt64(status.st_ino) == namespace,
      let process = pid_t(exactly: pid).flatMap(ProcessStatus.init)
    else { return false }
    return !process.hasEnded && process.startTicks == startTicks
  }

  /// The number in a line "NAME NUMBER".
  private static func counter(_ name: String, in path: String) -> UInt64? {
    guard let text = text(of: path) else { return nil }
    for line in text.split(separator: "\n") where line.hasPrefix(name + " ") {
      return UInt64(line.dropFirst(name.utf8.count + 1))
    }
    return nil
  }

  private static func text(of path: String) -> String? {
    KernelFile.read(path).map { String(decoding: $0, as: UTF8.self) }
  }
}
