/// What the kernel's settings say: core files, tracing, memory reads.
struct KernelChecks {
  let machine: Machine

  var findings: [Finding] { [corePattern, coreLimit, tracing, memoryReads] }

  /// core(5).
  private var corePattern: Finding {
    let subject = "core pattern"
    guard let text = machine.text("/proc/sys/kernel/core_pattern") else {
      return .note(subject, "/proc/sys/kernel/core_pattern cannot be read", "it is unknown where core files go")
    }
    let pattern = String(text[...].trimmingBlanks)
    let unaffected = "reports of CrashKit do not depend on it"
    if pattern.hasPrefix("|") { return pipe(pattern, subject) }
    if pattern.isEmpty {
      let usesPID = machine.text("/proc/sys/kernel/core_uses_pid").map { $0[...].trimmingBlanks == "1" } ?? false
      if usesPID {
        return .ok(
          subject, "empty, and kernel.core_uses_pid is set",
          "core files are named .PID, in the program's working folder")
      }
      return .note(
        subject, "empty", "the kernel writes no core files; \(unaffected)",
        "to get core files: sysctl kernel.core_pattern=core.%p")
    }
    guard pattern.hasPrefix("/") else {
      return .note(
        subject, "relative: \(pattern)",
        "core files go to the working folder of the crashed program, if that is writable; \(unaffected)",
        "give a folder: sysctl kernel.core_pattern=/var/crash/core.%e.%p")
    }
    let folder = pattern.lastIndex(of: "/").map { String(pattern[..<$0]) } ?? ""
    // A folder with a % in its name is another one for each process.
    guard folder.contains("%") || machine.isFolder(folder.isEmpty ? "/" : folder) else {
      return .problem(
        subject, pattern, "there is no folder \(folder), and the kernel makes none: core files are lost",
        "mkdir -p \(folder)")
    }
    return .ok(subject, pattern, "core files go to a folder that exists")
  }

  private func pipe(_ pattern: String, _ subject: String) -> Finding {
    let program = String(pattern.dropFirst().split(separator: " ").first ?? "")
    guard program.hasPrefix("/"), machine.exists(program) else {
      // The kernel looks for it from the first mount namespace, which a container does not see.
      if ContainerChecks(machine: machine).container != nil {
        return .note(
          subject, "core files are piped to \(program), on the container's host",
          "core files are only on the host; reports of CrashKit do not depend on core files")
      }
      return .problem(
        subject, "core files are piped to \(program), which is missing", "core files are lost",
        "install it, or run sysctl kernel.core_pattern=core.%p")
    }
    let name = program.split(separator: "/").last.map(String.init) ?? program
    let advice: String
    switch name {
    case "systemd-coredump":
      advice = "find PID with coredumpctl list, then run coredumpctl dump PID -o core and crashsym core"
    case "apport":
      advice = "look in /var/crash; by default apport keeps only the core files of packaged programs"
    default: advice = "ask \(name) for the core file"
    }
    return .note(
      subject, "core files are piped to \(name)",
      "they do not appear where the program ran; reports of CrashKit do not depend on it", advice)
  }

  /// proc(5), /proc/[pid]/limits.
  private var coreLimit: Finding {
    let subject = "core size limit"
    let value = machine.field("Max core file size", of: "/proc/self/limits", separator: "  ")
    guard let soft = value?.split(separator: " ").first else {
      return .note(subject, "/proc/self/limits cannot be read", "it is not known whether core files are written")
    }
    if soft == "0" {
      return .note(
        subject, "0", "a program started from this shell writes no core file; reports of CrashKit do not depend on it",
        "to get core files: ulimit -c unlimited")
    }
    return .ok(subject, String(soft), "core files are not suppressed")
  }

  /// Yama's ptrace_scope (kernel.org, admin-guide/LSM/Yama) and CAP_SYS_PTRACE.
  private var tracing: Finding {
    let subject = "ptrace"
    let scope = machine.text("/proc/sys/kernel/yama/ptrace_scope").map { String($0[...].trimmingBlanks) } ?? "0"
    let capabilities = machine.field("CapEff", of: "/proc/self/status").flatMap { UInt64($0, radix: 16) } ?? 0
    let mayTraceAll = capabilities & (1 << 19) != 0
    switch scope {
    case "0": return .ok(subject, "not restricted", "debuggers can attach; CrashKit needs no ptrace")
    case "3":
      return .note(
        subject, "switched off (ptrace_scope 3)",
        "no debugger can attach, and the Swift runtime's backtracer fails; CrashKit needs no ptrace")
    default:
      if mayTraceAll {
        return .ok(subject, "ptrace_scope \(scope), and this user has CAP_SYS_PTRACE", "debuggers can attach")
      }
      return .note(
        subject, "ptrace_scope \(scope), without CAP_SYS_PTRACE",
        "gdb -p attaches to \(scope == "1" ? "its own children" : "nothing"); CrashKit needs no ptrace",
        "run the debugger as root, or sysctl kernel.yama.ptrace_scope=0")
    }
  }

  /// Some seccomp profiles refuse it, those of older container engines among them.
  private var memoryReads: Finding {
    let subject = "memory reads"
    let code = machine.readsOwnMemory()
    let filters = machine.field("Seccomp", of: "/proc/self/status") ?? "0"
    let filtered = filters == "2" ? " (system calls are filtered here)" : ""
    guard code != 0 else {
      return .ok(subject, "process_vm_readv works\(filtered)", "each stack is copied with one call")
    }
    return .note(
      subject, "process_vm_readv is refused\(filtered)",
      "stacks are read through a pipe instead, which takes longer; nothing is lost",
      "allow process_vm_readv in the seccomp profile")
  }
}

extension Machine {
  /// The value of a line of a table whose columns stand apart by blanks.
  fileprivate func field(_ name: String, of path: String, separator: String) -> String? {
    guard let text = text(path) else { return nil }
    for line in text.split(separator: "\n") where line.hasPrefix(name + separator) {
      return String(line.dropFirst(name.count).trimmingBlanks)
    }
    return nil
  }
}
