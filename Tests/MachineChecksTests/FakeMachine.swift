import Foundation

@testable import MachineChecks

/// A root folder with files of its own in place of this machine's.
final class FakeMachine {
  let folder: URL
  var environment: [String: String] = ["HOME": "/root"]
  var memoryError: Int32 = 0
  var libraries: Set<String> = [LibraryChecks.unwinderName]

  /// A machine on which all is well.
  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "machine-\(UUID().uuidString)")
    try write("/proc/sys/kernel/core_pattern", "/var/crash/core.%p\n")
    try write("/proc/sys/kernel/core_uses_pid", "0\n")
    try write("/proc/sys/kernel/yama/ptrace_scope", "0\n")
    try write("/proc/self/status", "Name:\tx\nCapEff:\t0000000000000000\nSeccomp:\t0\n")
    try write(
      "/proc/self/limits",
      "Limit                     Soft Limit           Hard Limit           Units     \n"
        + "Max core file size        unlimited            unlimited            bytes     \n")
    try write("/proc/self/mounts", "/dev/sda1 / ext4 rw,relatime 0 0\n")
    try write("/proc/1/comm", "systemd\n")
    for path in ["/var/crash", "/usr/lib/debug/.build-id", "/root", "/tmp"] { try makeFolder(path) }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func path(_ path: String) -> String { folder.path() + path }

  func makeFolder(_ path: String, mode: Int = 0o755) throws {
    try FileManager.default.createDirectory(
      atPath: self.path(path), withIntermediateDirectories: true, attributes: [.posixPermissions: mode])
  }

  func write(_ path: String, _ text: String) throws {
    try makeFolder((path as NSString).deletingLastPathComponent)
    try Data(text.utf8).write(to: URL(filePath: self.path(path)))
  }

  func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: self.path(path)) }

  var machine: Machine {
    let (code, libraries) = (memoryError, libraries)
    return Machine(
      root: folder.path(), environment: environment, readsOwnMemory: { code }, opensLibrary: { libraries.contains($0) })
  }

  func findings(program: String? = nil) -> [Finding] { MachineChecks.findings(on: machine, programName: program) }

  func finding(_ subject: String, program: String? = nil) -> Finding? {
    findings(program: program).first { $0.subject == subject }
  }
}
