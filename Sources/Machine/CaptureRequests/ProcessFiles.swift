import CLinuxCalls
import CReportTerms
import Glibc
import LinuxCalls

/// The kernel's data about a process in the files of `/proc/PID`.
package struct ProcessFiles {
  /// A process has at most 65,530 mappings, unless the system's setting is higher.
  private static let largestFile = 64 << 20

  package let process: pid_t

  package init(process: pid_t) { self.process = process }

  /// A descriptor of the process. While it is open, no other process can get the same number.
  ///
  /// - Parameter verb: The action that fails otherwise, such as "asked".
  /// - Throws: `CaptureFailure` with status 66 if there is no such process, 65 if the number is a thread's.
  package func openProcess(to verb: String) throws(CaptureFailure) -> Int32 {
    let descriptor = linux_open_process(process)
    if descriptor >= 0 { return descriptor }
    let code = errno
    // Older kernels answer EINVAL for a thread that is not the main one.
    guard [ESRCH, EINVAL, ENOENT].contains(code) else { throw .system("cannot be \(verb)", code) }
    let main = try status("Tgid").first.flatMap { pid_t($0) }
    if let main, main != process { throw .refused("is a thread of process \(main)") }
    throw .missing
  }

  /// The lines of one of the files.
  ///
  /// - Throws: `CaptureFailure` if it cannot be read.
  package func lines(_ name: String) throws(CaptureFailure) -> [String] {
    guard let bytes = KernelFile.read("/proc/\(process)/\(name)", atMost: Self.largestFile) else {
      throw errno == ENOENT || errno == ESRCH ? .missing : .system("cannot be examined", errno)
    }
    return bytes.split(separator: UInt8(ascii: "\n")).map { String(systemBytes: $0) }
  }

  /// The words after `name:` in `status`.
  package func status(_ name: String) throws(CaptureFailure) -> [Substring] {
    let line = try lines("status").first { $0.hasPrefix(name + ":") }
    return line?.dropFirst(name.count + 1).split { $0 == " " || $0 == "\t" } ?? []
  }

  /// Whether it has a handler for requests; without one the signal would kill it.
  func hears() throws(CaptureFailure) -> Bool {
    let caught = try status("SigCgt").first.flatMap { UInt64($0, radix: 16) } ?? 0
    return term_holds(caught, TERM_REQUEST_SIGNAL)
  }

  /// What a descriptor of it stands for, in the kernel's words.
  func target(ofDescriptor number: Int) -> String? { linkTarget("/proc/\(process)/fd/\(number)") }

  /// Its threads, in order, including ended threads that are still listed.
  package func threads() -> [pid_t] {
    let folder = open("/proc/\(process)/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return [] }
    defer { close(folder) }
    return (folderNames(folder) ?? []).compactMap { pid_t($0) }.sorted()
  }

  /// Its live threads, the main thread first.
  package func livingThreads() -> [pid_t] {
    threads().filter { ProcessStatus(of: $0)?.hasEnded == false }
  }

  /// The path of the file of breadcrumbs that CrashKit maps, as the process has it: `…/PID-INSTANCE.ring`.
  func ringPath() throws(CaptureFailure) -> Substring? {
    for line in try lines("maps") where line.hasSuffix(".ring") {
      // proc(5): address, permissions, offset, device, inode, path.
      let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
      guard fields.count == 6, fields[1].hasSuffix("s") else { continue }
      let path = fields[5].drop { $0 == " " }
      let name = path.split(separator: "/").last ?? ""
      if path.hasPrefix("/"), name.first?.isNumber == true, name.contains("-") { return path }
    }
    return nil
  }
}
