import CaptureRequests
import Glibc
import LinuxCalls

/// Why a process cannot be looked at, in words.
enum Refusal {
  static let otherProgram = CaptureFailure.refused("runs a 32-bit program, or a program for another processor")
  static let ended = CaptureFailure.refused("has ended, but its parent has not read its status")
  static let ofKernel = CaptureFailure.refused("is a thread of the kernel")

  /// By what the kernel shows of a process that ptrace(2) was refused for.
  static func reason(_ files: ProcessFiles, _ code: Int32) -> CaptureFailure {
    guard code == EPERM || code == EACCES else { return .system("cannot be stopped", code) }
    if files.process == getpid() { return .forbidden("is crashsym itself") }
    if let tracer = try? files.status("TracerPid").first, tracer != "0" {
      return .forbidden("is traced by process \(tracer) already")
    }
    if geteuid() != 0, let user = try? files.status("Uid").first, user != "\(getuid())" {
      return .forbidden("belongs to user \(user): only that user and root may stop it")
    }
    switch setting("/proc/sys/kernel/yama/ptrace_scope") {
    case 1 where geteuid() != 0:
      return .forbidden("may be stopped by root only: kernel.yama.ptrace_scope is 1")
    case 2 where geteuid() != 0:
      return .forbidden("may be stopped by root only: kernel.yama.ptrace_scope is 2")
    case 3: return .forbidden("may not be stopped: kernel.yama.ptrace_scope is 3")
    default: return .forbidden("may not be stopped by this user: \(errorText(code))")
    }
  }

  private static func setting(_ path: String) -> Int? {
    KernelFile.read(path).flatMap { Int(String(decoding: $0.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)) }
  }
}
