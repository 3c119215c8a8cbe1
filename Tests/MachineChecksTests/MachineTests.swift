import Foundation
import Glibc
import Testing

@testable import MachineChecks

/// What is said of machines that differ in one thing from one on which all is well.
@Suite struct MachineTests {
  private let fake = try! FakeMachine()

  private func expect(
    _ subject: String, _ state: Finding.State, _ words: String..., program: String? = nil,
    at location: SourceLocation = #_sourceLocation
  ) {
    guard let finding = fake.finding(subject, program: program) else {
      Issue.record("nothing of \(subject)", sourceLocation: location)
      return
    }
    #expect(finding.state == state, "\(finding)", sourceLocation: location)
    let text = [finding.fact, finding.meaning, finding.advice ?? ""].joined(separator: "\n")
    for word in words { #expect(text.contains(word), sourceLocation: location) }
    #expect(finding.state == .ok || !finding.meaning.isEmpty, sourceLocation: location)
    if finding.state == .problem { #expect(finding.advice != nil, sourceLocation: location) }
  }

  @Test func aHealthyMachineHasNoFindings() {
    #expect(fake.findings().filter { $0.state != .ok } == [])
    #expect(Set(fake.findings().map(\.subject)).count == fake.findings().count)
  }

  @Test func corePattern() throws {
    let file = "/proc/sys/kernel/core_pattern"
    expect("core pattern", .ok, "/var/crash/core.%p")
    try fake.write(file, "/nowhere/core\n")
    expect("core pattern", .problem, "mkdir -p /nowhere")
    try fake.write(file, "/cores/%u/core\n")
    expect("core pattern", .ok)
    try fake.write(file, "core\n")
    expect("core pattern", .note, "relative: core", "working folder")
    try fake.write(file, "\n")
    expect("core pattern", .note, "writes no core files")
    try fake.write("/proc/sys/kernel/core_uses_pid", "1\n")
    expect("core pattern", .ok, ".PID")
    try fake.remove(file)
    expect("core pattern", .note, "cannot be read")
  }

  @Test func corePipes() throws {
    let file = "/proc/sys/kernel/core_pattern"
    for (program, word) in [
      ("/usr/share/apport/apport", "/var/crash"), ("/usr/lib/systemd/systemd-coredump", "coredumpctl"),
      ("/opt/collector", "ask collector"),
    ] {
      try fake.write(file, "|\(program) %p %s\n")
      expect("core pattern", .problem, program, "is missing")
      try fake.write(program, "")
      expect("core pattern", .note, word)
    }
    try fake.write(file, "|/host/only %p\n")
    expect("core pattern", .problem)
    try fake.write("/.dockerenv", "")
    expect("core pattern", .note, "container's host")
  }

  @Test func coreLimit() throws {
    expect("core size limit", .ok, "unlimited")
    try fake.write("/proc/self/limits", "Max core file size        0                    unlimited            bytes\n")
    expect("core size limit", .note, "ulimit -c unlimited")
    try fake.remove("/proc/self/limits")
    expect("core size limit", .note, "cannot be read")
  }

  @Test func tracing() throws {
    let file = "/proc/sys/kernel/yama/ptrace_scope"
    expect("ptrace", .ok, "not restricted")
    for scope in ["1", "2"] {
      try fake.write(file, scope + "\n")
      try fake.write("/proc/self/status", "CapEff:\t0000000000000000\n")
      expect("ptrace", .note, "ptrace_scope \(scope)", "CAP_SYS_PTRACE")
      try fake.write("/proc/self/status", "CapEff:\t0000000000080000\n")
      expect("ptrace", .ok, "CAP_SYS_PTRACE")
    }
    try fake.write(file, "3\n")
    expect("ptrace", .note, "switched off")
    try fake.remove(file)
    expect("ptrace", .ok)
  }

  @Test func memoryReads() throws {
    expect("memory reads", .ok, "process_vm_readv works")
    fake.memoryError = EPERM
    expect("memory reads", .note, "refused", "pipe", "seccomp profile")
    #expect(fake.finding("memory reads")?.fact.contains("filtered") == false)
    try fake.write("/proc/self/status", "Seccomp:\t2\n")
    expect("memory reads", .note, "system calls are filtered")
  }

  @Test func unwinder() {
    expect("libunwind", .ok)
    fake.libraries = []
    expect("libunwind", .problem, "libunwind8", "frame pointers")
  }

  @Test func switchedOff() {
    expect("CRASHKIT_OPTIONS", .ok, "not set")
    fake.environment["CRASHKIT_OPTIONS"] = "summary=no"
    expect("CRASHKIT_OPTIONS", .ok)
    fake.environment["CRASHKIT_OPTIONS"] = "enable=no,summary=no"
    expect("CRASHKIT_OPTIONS", .problem, "switched off")
    fake.environment["CRASHKIT_OPTIONS"] = "enable=no,enable=yes"
    expect("CRASHKIT_OPTIONS", .ok)
  }

  @Test func mistypedOptions() {
    let mistakes = [
      "sumary=no", "summary=nein", "output=stdout", "chain=perhaps", "summary", "summary=no, output=file",
      "on-signal=TERM", "on-signal=11", "on-signal=", "on-signal=33", "guard=often", "guard=-1", "guard=",
    ]
    for mistake in mistakes {
      fake.environment["CRASHKIT_OPTIONS"] = mistake
      expect("CRASHKIT_OPTIONS", .problem, "not understood")
    }
    fake.environment["CRASHKIT_OPTIONS"] = "summary=OFF,chain=auto,output=stderr,,registers=1,guard=2000"
    expect("CRASHKIT_OPTIONS", .ok)
    for signal in ["QUIT", "SIGUSR1", "1", "40"] {
      fake.environment["CRASHKIT_OPTIONS"] = "summary=no,on-signal=\(signal)"
      expect("CRASHKIT_OPTIONS", .ok)
      #expect(fake.finding("CRASHKIT_OPTIONS")?.meaning.contains("prints all threads and Swift tasks") == true)
    }
    #expect(fake.finding("THREADGUARD_OPTIONS") == nil)
    let others = ["semaphors=yes", "limit=x", "limit=9999999", "mode=shout", "deadlock=yes", "perturb=maybe", "limit="]
    for mistake in others {
      fake.environment["THREADGUARD_OPTIONS"] = mistake
      expect("THREADGUARD_OPTIONS", .problem, "not understood")
    }
    fake.environment["THREADGUARD_OPTIONS"] = "semaphores=yes,mode=log,deadlock=abort,perturb=42,exit-status=1"
    expect("THREADGUARD_OPTIONS", .ok)
  }

  /// The tables of the two libraries, and this one.
  @Test func doctorKnowsEveryOption() throws {
    func keys(_ file: String, _ pattern: Regex<(Substring, Substring)>) throws -> Set<String> {
      let root = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL
      let text = try String(contentsOf: root.appending(path: "Sources/\(file)"), encoding: .utf8)
      return Set(text.matches(of: pattern).map { String($0.1) })
    }
    let crashKit = try keys("Capture/CCrashCapture/install/options.c", /strcmp\(key, "([a-z-]+)"\) == 0/)
    #expect(Set(OptionChecks.crashKit.keys) == crashKit && crashKit.count == 13)
    let threadGuard = try keys("Locks/CThreadGuard/findings/options.c", /\n    \{"([a-z-]+)", read_/)
    let kinds = try keys("Locks/CThreadGuard/findings/kinds.c", /\] = "([A-Za-z]+)"/)
    #expect(kinds == Set(OptionChecks.kinds) && kinds.count == 7)
    #expect(Set(OptionChecks.threadGuard.keys) == threadGuard.union(kinds).union(["mode"]) && threadGuard.count == 11)
  }

  @Test func aFolderIsNamedAfterTheFileOnlyIfTheProgramHasNoOtherName() {
    let finding = fake.finding("report folder", program: "api")
    #expect(finding?.fact == "/root/.local/state/crashkit/api (because of HOME)")
    #expect(finding?.meaning.contains("application name") == true)
    fake.environment["CRASHKIT_DIRECTORY"] = "/var/crash"
    #expect(fake.finding("report folder", program: "api")?.meaning.contains("application name") == false)
  }

  @Test func runtimeBacktracer() throws {
    expect("SWIFT_BACKTRACE", .ok, "not set")
    fake.environment["SWIFT_BACKTRACE"] = "color=yes"
    expect("SWIFT_BACKTRACE", .ok)
    fake.environment["SWIFT_BACKTRACE"] = "enable=no"
    expect("SWIFT_BACKTRACE", .ok)
    fake.environment["SWIFT_BACKTRACE"] = "enable=yes"
    expect("SWIFT_BACKTRACE", .problem, "is missing")
    try fake.write("/opt/swift/usr/libexec/swift/linux/swift-backtrace", "")
    fake.environment["PATH"] = "/bin:/opt/swift/usr/bin"
    let helper = "/opt/swift/usr/libexec/swift/linux/swift-backtrace"
    expect("SWIFT_BACKTRACE", .ok, helper, "only if CrashKit cannot finish its report", "chain=yes")
    for chain in ["chain=auto", "chain=yes,chain=auto"] {
      fake.environment["CRASHKIT_OPTIONS"] = chain
      expect("SWIFT_BACKTRACE", .ok, "only if CrashKit cannot finish its report")
    }
    fake.environment["CRASHKIT_OPTIONS"] = "summary=no,chain=off"
    expect("SWIFT_BACKTRACE", .ok, helper, "never runs after CrashKit")
    fake.environment["CRASHKIT_OPTIONS"] = "chain=yes"
    expect("SWIFT_BACKTRACE", .note, helper, "after each report", "longer to die", "remove chain=yes")
    fake.environment["PATH"] = nil
    try fake.write("/elsewhere/backtrace", "")
    fake.environment["SWIFT_BACKTRACE"] = "enable=yes,swift-backtrace=/elsewhere/backtrace"
    expect("SWIFT_BACKTRACE", .note, "/elsewhere/backtrace")
    fake.environment["CRASHKIT_OPTIONS"] = nil
    expect("SWIFT_BACKTRACE", .ok, "/elsewhere/backtrace")
  }

  @Test func debugFolders() throws {
    expect("debug folder", .ok)
    try fake.remove("/usr/lib/debug")
    expect("debug folder", .note, "libc6-dbg")
    expect("CRASHSYM_SYMBOLS", .ok, "not set")
    try fake.makeFolder("/symbols")
    fake.environment["CRASHSYM_SYMBOLS"] = "/symbols:/gone"
    let findings = fake.findings().filter { $0.subject == "CRASHSYM_SYMBOLS" }
    #expect(findings.map(\.state) == [.ok, .problem])
  }

  @Test func servers() {
    expect("DEBUGINFOD_URLS", .ok, "not set")
    fake.environment["DEBUGINFOD_URLS"] = "http://127.0.0.1:1"
    expect("DEBUGINFOD_URLS", .problem, "libdebuginfod1")
    fake.libraries.insert("libdebuginfod.so.1")
    expect("DEBUGINFOD_URLS", .ok)
    fake.environment["HOME"] = nil
    expect("DEBUGINFOD_URLS", .problem, "cache")
  }

  @Test func reportFolder() throws {
    expect("report folder", .ok, "/root/.local/state/crashkit/NAME", "will be made")
    expect("report folder", .ok, "/root/.local/state/crashkit/api", program: "api")
    fake.environment["XDG_STATE_HOME"] = "/state"
    expect("report folder", .ok, "/state/crashkit/NAME")
    fake.environment["STATE_DIRECTORY"] = "/var/lib/one:/var/lib/two"
    expect("report folder", .ok, "/var/lib/one (because of STATE_DIRECTORY)")
    fake.environment["CRASHKIT_DIRECTORY"] = "/reports"
    try fake.makeFolder("/reports", mode: 0o700)
    expect("report folder", .ok, "/reports (because of CRASHKIT_DIRECTORY)", "private")
    #expect(chmod(fake.path("/reports"), 0o755) == 0)
    expect("report folder", .note, "mode 755", "chmod 700 /reports")
    try fake.remove("/reports")
    try fake.write("/reports", "a file")
    expect("report folder", .problem, "is not a folder", "CRASHKIT_DIRECTORY")
    try fake.remove("/reports")
    #expect(symlink(fake.path("/tmp"), fake.path("/reports")) == 0)
    expect("report folder", .problem, "symbolic link")
    fake.environment = ["TMPDIR": "/tmp"]
    expect("report folder", .ok, "/tmp/crashkit-", "no HOME")
  }

  /// Whoever runs the tests: root may write anywhere but in what the kernel makes read-only.
  @Test func foldersThatCannotBeWritten() {
    let readOnly = Machine(
      root: "", environment: ["CRASHKIT_DIRECTORY": "/sys/kernel", "XDG_CACHE_HOME": "/proc/self/maps"],
      readsOwnMemory: { 0 }, opensLibrary: { _ in true })
    let findings = FolderChecks(machine: readOnly, program: nil).findings
    #expect(findings[0].state == .problem)
    #expect(findings[0].fact == "/sys/kernel (because of CRASHKIT_DIRECTORY): /sys/kernel cannot be written")
    #expect(findings[1].state == .note)
    #expect(findings[1].fact == "/proc/self/maps cannot be written")
  }

  @Test func cacheFolder() throws {
    expect("cache folder", .ok, "/root/.cache")
    fake.environment["XDG_CACHE_HOME"] = "/cache"
    expect("cache folder", .ok, "/cache")
    try fake.write("/cache", "a file")
    expect("cache folder", .note, "cannot be written")
    fake.environment = [:]
    expect("cache folder", .note, "HOME is not set")
  }

  @Test func containers() throws {
    expect("container", .ok)
    for file in ["/.dockerenv", "/run/.containerenv"] {
      try fake.write(file, "")
      expect("container", .note, "mount a volume")
      try fake.remove(file)
    }
    fake.environment["container"] = "lxc"
    expect("container", .note, "lxc")
    expect("PID 1", .ok)
    try fake.write("/proc/1/comm", "api\n")
    expect("PID 1", .note, "api, which is not an init", "128")
    fake.environment["container"] = nil
    expect("PID 1", .ok)
  }

  @Test func rootFolder() throws {
    expect("root folder", .ok)
    try fake.write("/proc/self/mounts", "overlay / overlay ro,relatime 0 0\ntmpfs /tmp tmpfs rw 0 0\n")
    expect("root folder", .note, "read-only")
    try fake.remove("/proc/self/mounts")
    expect("root folder", .note, "unknown")
  }

  @Test func home() throws {
    expect("HOME", .ok)
    fake.environment["HOME"] = "/nonexistent"
    expect("HOME", .note, "no folder")
    fake.environment["HOME"] = nil
    expect("HOME", .note, "not set")
  }
}
