import CLinuxCalls
import Glibc
import LinuxCalls

/// Checks before the start whether a library can be preloaded into a program.
public enum PreloadCheck {
  /// The kernel follows as many scripts that are interpreters of scripts.
  private static let deepestScript = 5

  /// Checks a program, or the interpreter of a script.
  ///
  /// The check always refuses a program that raises its privileges, such as a setuid program. The loader may ignore the
  /// library in such a program: this depends on the user and on mount options.
  ///
  /// - Throws: `RunFailure` with status 64 and the reason.
  public static func check(_ path: String) throws(RunFailure) {
    var path = path
    for _ in 0..<deepestScript {
      try checkPrivileges(path)
      guard case .script(let interpreter)? = ExecutableHeader.read(path) else { return try checkBinary(path) }
      guard !interpreter.isEmpty else { return }
      path = interpreter
    }
  }

  private static func checkPrivileges(_ path: String) throws(RunFailure) {
    var status = stat()
    guard stat(path, &status) == 0 else { return }
    if status.st_mode & S_ISUID != 0 { throw .refused("setuid, so the loader ignores preloaded libraries", path) }
    if status.st_mode & S_ISGID != 0, status.st_mode & S_IXGRP != 0 {
      throw .refused("setgid, so the loader ignores preloaded libraries", path)
    }
    if getxattr(path, "security.capability", nil, 0) > 0 {
      throw .refused("has file capabilities, so the loader ignores preloaded libraries", path)
    }
  }

  private static func checkBinary(_ path: String) throws(RunFailure) {
    guard case .elf(let machine, let is64Bit, let loader)? = ExecutableHeader.read(path) else { return }
    guard is64Bit, machine == Host.machine else {
      throw .refused("built for another architecture (ELF machine \(machine), \(is64Bit ? 64 : 32) bits)", path)
    }
    guard let loader else { throw .refused("statically linked, so no library can be preloaded", path) }
    let name = loader.split(separator: "/").last.map(String.init) ?? loader
    guard name == Host.loader else { throw .refused("uses another C library (loader \(loader))", path) }
  }

  private enum Host {
    #if arch(x86_64)
      static let machine: UInt16 = 62
      static let loader = "ld-linux-x86-64.so.2"
    #elseif arch(arm64)
      static let machine: UInt16 = 183
      static let loader = "ld-linux-aarch64.so.1"
    #endif
  }
}
