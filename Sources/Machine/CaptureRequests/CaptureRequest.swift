import CLinuxCalls
import CReportTerms
import CrashReportReading
import Glibc
import LinuxCalls

/// A report that a running process made on request.
public struct RequestedReport: Sendable {
  /// Its name in the folder of the process's reports.
  public let name: String
  /// Its bytes.
  public let bytes: [UInt8]
}

extension RunningProcess {
  private static let timeLimit = Duration.seconds(10)
  /// A process that makes another capture, or forks, does not hear a request.
  private static let timeBetweenRequests = Duration.milliseconds(250)

  /// A process whose threads all run is asked in this turn at the earliest: by then it has stayed the same program.
  private static let turnForRunning = 2
  /// A report's own value of the request stands in so many bytes.
  private static let head = 4096

  /// Asks the process for a report of all its threads and tasks. The process continues to run.
  ///
  /// - Throws: `CaptureFailure` with status 66 if the process has ended, and 74 if no report arrived within ten
  ///   seconds.
  public func capture() throws(CaptureFailure) -> RequestedReport {
    let number = UInt32.random(in: 1...UInt32.max)
    let changes = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    defer { close(changes) }
    // Without it, the folder is looked at each time that the request is sent.
    inotify_add_watch(changes, "/proc/self/fd/\(folder)", UInt32(IN_MOVED_TO))
    let start = ContinuousClock.now
    let end = start + Self.timeLimit
    var known = Set(folderNames(folder) ?? [])
    var turn = 0
    var wasAsked = false
    while ContinuousClock.now < end {
      if try send(number, turn: turn) { wasAsked = true }
      turn += 1
      let sent = ContinuousClock.now
      while ContinuousClock.now - sent < Self.timeBetweenRequests {
        let isOver = hasEnded
        if let report = newReport(number, &known, until: end) { return report }
        guard !isOver else { throw .failed("ended before it answered") }
        wait(for: changes, Self.timeBetweenRequests - (ContinuousClock.now - sent))
      }
    }
    let time = "\(Self.timeLimit.components.seconds) s"
    let isStopped = linux_is_stopped(id) != 0
    guard wasAsked || isStopped else {
      throw .failed(
        "was not asked: for \(time), each request would have interrupted a system call of one of its threads")
    }
    let reason = isStopped ? ": it is stopped (--stop shows its current state)" : ""
    throw .failed("did not answer in \(time)\(reason)")
  }

  /// Removes a report from the folder.
  public func remove(_ report: RequestedReport) { unlinkat(folder, report.name, 0) }

  /// Asks one thread, at each turn the next one. Of a signal to the whole process the kernel wakes one thread, and may
  /// hand it to another: then the first one's call answers EINTR, though that thread had no signal.
  ///
  /// - Returns: Whether there is a thread that can be asked without harm.
  private func send(_ number: UInt32, turn: Int) throws(CaptureFailure) -> Bool {
    let files = ProcessFiles(process: id)
    let threads = files.livingThreads()
    guard !threads.isEmpty, !hasEnded else { throw .missing }
    guard let thread = choose(threads, files, turn: turn) else { return false }
    // It may have become another program meanwhile.
    guard try files.hears(), try files.ringPath() == ring else { throw .refused("has become another program") }
    let value = UInt64(TERM_REQUEST_COOKIE) << 32 | UInt64(number)
    let code = linux_queue_signal(id, thread, TERM_REQUEST_SIGNAL, UInt(value))
    // A thread that has just ended is no reason to give up.
    guard code == 0 || code == ESRCH else { throw .system("cannot be asked", code) }
    return true
  }

  /// One that waits, if there is one: it begins no other call, and no other program, while the signal is on its way.
  private func choose(_ threads: [pid_t], _ files: ProcessFiles, turn: Int) -> pid_t? {
    let first = turn % threads.count
    let inTurn = threads[first...] + threads[..<first]
    var running: pid_t?
    for thread in inTurn {
      switch ThreadActivity(of: thread, files) {
      case .waits: return thread
      case .runs: running = running ?? thread
      case .isElsewhere: continue
      }
    }
    return turn >= Self.turnForRunning ? running : nil
  }

  private var hasEnded: Bool {
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&polled, 1, 0) > 0
  }

  private func wait(for changes: Int32, _ time: Duration) {
    var polled = [
      pollfd(fd: changes, events: Int16(POLLIN), revents: 0), pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
    ]
    _ = poll(&polled, 2, Int32(max(1, time / .milliseconds(1))))
    var events = [UInt8](repeating: 0, count: 1 << 16)
    while read(changes, &events, events.count) > 0 {}
  }

  /// The answer to the request, if it is there. Files that are no answer become known, and are not read again.
  private func newReport(
    _ number: UInt32, _ known: inout Set<String>, until end: ContinuousClock.Instant
  ) -> RequestedReport? {
    let digits = String(number, radix: 16)
    let mark = TERM_REQUEST_WORDS + String(repeating: "0", count: 8 - digits.count) + digits
    for name in folderNames(folder) ?? [] where name.hasSuffix("-\(ownID)-capture.json") && known.insert(name).inserted
    {
      guard ContinuousClock.now < end else { break }
      if let bytes = contents(of: name, ifItHas: "\"\(mark)\"") { return RequestedReport(name: name, bytes: bytes) }
    }
    return nil
  }

  /// The file's bytes, if its beginning holds the words.
  private func contents(of name: String, ifItHas words: String) -> [UInt8]? {
    let file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    let beginning = [UInt8](unsafeUninitializedCapacity: Self.head) { bytes, count in
      count = max(0, pread(file, bytes.baseAddress, Self.head, 0))
    }
    guard String(decoding: beginning, as: UTF8.self).contains(words) else { return nil }
    return try? InputFile.read(file: file)
  }
}
