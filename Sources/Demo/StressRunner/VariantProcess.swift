import CLinuxCalls
import Glibc
import LinuxCalls
import ProgramRunner

/// A variant in a process, and process group, of its own.
///
/// It says on a pipe when its work begins and ends: see ``VariantHost``.
final class VariantProcess {
  let pid: pid_t
  /// Readable once the process has ended; -1 if the kernel has no such descriptor.
  let ended: Int32
  /// At its end once the process has closed it, as it does when it ends.
  let status: Int32
  private let startedAt: UInt64
  private var said = ""

  /// - Throws: `StressFailure` where the system starts no process.
  init(_ arguments: [String], environment: ProcessVariables, folder: VariantFolder) throws(StressFailure) {
    var pipe: [Int32] = [-1, -1]
    let refusal = linux_pipe(&pipe)
    guard refusal == 0 else { throw .inputOutput("cannot make a pipe", refusal) }
    defer { close(pipe[1]) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    for (descriptor, path) in [(1, folder.standardOutput), (2, folder.standardError)] {
      _ = path.withSystemText {
        posix_spawn_file_actions_addopen(&actions, Int32(descriptor), $0, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
      }
    }
    posix_spawn_file_actions_adddup2(&actions, pipe[1], VariantHost.statusDescriptor)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))

    linux_spawn_with_own_signals(&attributes)

    startedAt = monotonicNanoseconds()
    var child = pid_t()
    let error = withSystemTexts(arguments) { words in
      withSystemTexts(environment.entries) { variables in
        Self.program.withSystemText { posix_spawn(&child, $0, &actions, &attributes, words, variables) }
      }
    }
    guard error == 0 else {
      close(pipe[0])
      throw .inputOutput("cannot start a process", error)
    }
    pid = child
    status = pipe[0]
    ended = linux_open_process(child)
  }

  deinit {
    close(status)
    if ended >= 0 { close(ended) }
  }

  /// This program: by its path, which names the process, unless that now leads elsewhere.
  private static let program: String = {
    let link = "/proc/self/exe"
    var own = stat()
    var found = stat()
    guard let resolved = resolvedPath(link) else { return link }
    guard stat(link, &own) == 0, stat(resolved, &found) == 0, own.isSameFile(as: found)
    else { return link }
    return resolved
  }()

  /// Ends it and all that it started.
  func kill() { Glibc.kill(-pid, SIGKILL) }

  /// Its peak memory in bytes, while it runs.
  var peakBytes: Int? { Self.peakBytes(of: "\(pid)") }

  static func peakBytes(of process: String) -> Int? {
    guard let file = fopen("/proc/\(process)/status", "re") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, Int32(line.count), file) != nil {
      let words = line.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }.split(
        whereSeparator: \.isWhitespace)
      if words.count >= 2, words[0] == "VmHWM:" { return Int(words[1]).map { $0 * 1024 } }
    }
    return nil
  }

  /// Waits for its end, which has come or is about to, and returns what it used.
  func reap(peakBefore: Int?) -> (end: ProgramEnd, footprint: Footprint) {
    // The files that it left, while no other process can have its number.
    kill()
    var usage = rusage()
    var code: Int32 = 0
    while wait4(pid, &code, 0, &usage) < 0 && errno == EINTR {}
    readStatus()
    let seconds = [usage.ru_utime, usage.ru_stime].map { Double($0.tv_sec) + Double($0.tv_usec) / 1e6 }
    let peak = number(after: "peak").map { Int($0) } ?? peakBefore ?? usage.ru_maxrss * 1024
    let begun = number(after: "begun").flatMap { $0 > startedAt ? $0 - startedAt : nil }
    let footprint = Footprint(
      cpuSeconds: seconds.reduce(0, +), peakBytes: peak, writtenBytes: usage.ru_oublock * 512,
      launchSeconds: begun.map { Double($0) / 1e9 })
    return (ProgramEnd(waitStatus: code) ?? .exited(-1), footprint)
  }

  private func readStatus() {
    _ = fcntl(status, F_SETFL, O_NONBLOCK)
    var buffer = [UInt8](repeating: 0, count: 512)
    while true {
      let count = read(status, &buffer, buffer.count)
      guard count > 0 else { return }
      said += String(decoding: buffer.prefix(count), as: UTF8.self)
    }
  }

  private func number(after word: String) -> UInt64? {
    for line in said.split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count == 2, words[0] == word { return UInt64(words[1]) }
    }
    return nil
  }
}

/// The resources that a variant's process used.
public struct Footprint: Sendable, Hashable, Codable {
  /// Seconds of processor time, in user mode and in the kernel.
  public var cpuSeconds: Double
  /// The peak of resident memory, in bytes.
  public var peakBytes: Int
  /// Bytes written to disks.
  public var writtenBytes: Int
  /// How many seconds passed from the start of the process to the start of its work; `nil` if the work did not start.
  public var launchSeconds: Double?

  public init(cpuSeconds: Double, peakBytes: Int, writtenBytes: Int, launchSeconds: Double?) {
    self.cpuSeconds = cpuSeconds
    self.peakBytes = peakBytes
    self.writtenBytes = writtenBytes
    self.launchSeconds = launchSeconds
  }
}

func monotonicNanoseconds() -> UInt64 {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
}
