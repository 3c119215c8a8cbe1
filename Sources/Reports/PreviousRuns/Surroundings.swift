import CrashReportModel
import Glibc
import LinuxCalls

/// The machine's current values, to compare with the values that a process recorded at its start.
struct Surroundings {
  /// The number of this boot; empty if it cannot be read.
  let bootID: String
  /// Out-of-memory kills on this machine since it started; `nil` if the kernel does not count them.
  let machineMemoryKills: UInt64?

  init() {
    bootID = Self.text(of: "/proc/sys/kernel/random/boot_id").map { String($0.prefix { $0 != "\n" }) } ?? ""
    machineMemoryKills = Self.counter("oom_kill", in: "/proc/vmstat")
  }

  /// For tests.
  init(bootID: String, machineMemoryKills: UInt64?) {
    self.bootID = bootID
    self.machineMemoryKills = machineMemoryKills
  }

  /// Out-of-memory kills in a control group; `nil` if its file is gone, or belongs to another group of the name.
  func memoryKills(in path: String, inode: UInt64) -> UInt64? {
    Self.isSame(path, inode) ? Self.counter("oom_kill", in: path) : nil
  }

  /// What a control group ran into since it was made; `nil` as above.
  func memoryEvents(in path: String, inode: UInt64) -> CrashReport.Memory.Events? {
    guard Self.isSame(path, inode) else { return nil }
    func count(_ name: String) -> Int? { Self.counter(name, in: path).flatMap { Int(exactly: $0) } }
    var events = CrashReport.Memory.Events()
    events.high = count("high")
    events.max = count("max") ?? Self.number(in: Self.neighbour("memory.failcnt", of: path))
    events.oom = count("oom")
    events.oomKill = count("oom_kill")
    return events.fields.members.isEmpty ? nil : events
  }

  /// How long tasks waited for memory in the last ten seconds: those of a control group, if its file is there and the
  /// kernel measures that, else those of the machine.
  func memoryPressure(in path: String, inode: UInt64) -> CrashReport.Memory.Pressure? {
    let ofGroup = Self.isSame(path, inode) ? Self.pressure(in: Self.neighbour("memory.pressure", of: path)) : nil
    return ofGroup ?? Self.pressure(in: "/proc/pressure/memory")
  }

  private static func isSame(_ path: String, _ inode: UInt64) -> Bool {
    guard path.hasPrefix("/sys/fs/cgroup/"), !path.split(separator: "/").contains("..") else { return false }
    var status = stat()
    return lstat(path, &status) == 0 && UInt64(status.st_ino) == inode
  }

  private static func neighbour(_ name: String, of path: String) -> String {
    path[...(path.lastIndex(of: "/") ?? path.startIndex)] + name
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

  private static func number(in path: String) -> Int? {
    text(of: path).flatMap { Int($0.prefix { $0 != "\n" }) }
  }

  /// Lines such as "some avg10=1.23 avg60=0.40 avg300=0.00 total=5", of which `full` may be missing.
  private static func pressure(in path: String) -> CrashReport.Memory.Pressure? {
    var pressure = CrashReport.Memory.Pressure()
    for line in text(of: path)?.split(separator: "\n") ?? [] {
      let words = line.split(separator: " ")
      guard words.count > 1, words[1].hasPrefix("avg10="), let share = Double(words[1].dropFirst(6)),
        (0...100).contains(share)
      else { continue }
      if words[0] == "some" { pressure.some = share }
      if words[0] == "full" { pressure.full = share }
    }
    return pressure.some == nil ? nil : pressure
  }

  private static func text(of path: String) -> String? {
    KernelFile.read(path).map { String(decoding: $0, as: UTF8.self) }
  }
}
