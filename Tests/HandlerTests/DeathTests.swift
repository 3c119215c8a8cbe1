import Foundation
import TestEnvironment
import Testing

/// A process with CrashKit in it dies as it would have died without.
@Suite(.serialized) struct DeathTests {
  static let deaths = [
    "null-read", "abort", "raise-segv", "raise-bus", "raise-ill", "raise-trap", "raise-fpe", "raise-abrt", "raise-sys",
    "kill-segv", "queue-segv", "breakpoint", "trap", "divide", "system-call", "bus", "stack-overflow",
    "thread-stack-overflow",
  ]

  @Test(arguments: deaths) func statusIsTheSame(_ name: String) throws {
    let without = try HandlerProbe(name, enabled: false)
    let with = try HandlerProbe(name)
    #expect(with.end == without.end)
    let report = try with.report()
    #expect(report.capture.cutShort.isEmpty)
    #expect(report.threads.first?.crashed == true)
    guard case .killed = without.end else {
      Issue.record("the probe itself ended by \(without.end)")
      return
    }
  }

  /// The signal's number, code, address and sender, and where the thread was, as a debugger finds them in the core.
  @Test(.enabled(if: coresAreFiles), arguments: deaths) func theCoreIsTheSame(_ name: String) throws {
    let without = try coreSignal(name, enabled: false)
    #expect(try coreSignal(name, enabled: true) == without)
    #expect(without.contains("si_signo"))
  }

  private static let coresAreFiles =
    (try? String(contentsOfFile: "/proc/sys/kernel/core_pattern", encoding: .utf8))?.hasPrefix("core") == true
    && FileManager.default.isExecutableFile(atPath: "/usr/bin/eu-readelf")

  private func coreSignal(_ name: String, enabled: Bool) throws -> String {
    let shell = ["/bin/sh", "-c", "ulimit -c unlimited; exec \"$@\"", "sh"]
    let run = try HandlerProbe(name, enabled: enabled, wrapper: shell)
    let cores = try FileManager.default.contentsOfDirectory(atPath: run.files.path).filter { $0.hasPrefix("core") }
    let core = run.files.appending(path: try #require(cores.first, "no core")).path
    let reader = Process()
    let pipe = Pipe()
    reader.executableURL = URL(filePath: "/usr/bin/eu-readelf")
    reader.arguments = ["-n", core]
    reader.standardOutput = pipe
    try reader.run()
    let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    reader.waitUntilExit()
    let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    let start = try #require(lines.firstIndex { $0.contains("SIGINFO") }, "\(text.prefix(300))")
    let ids = try #require(lines.first { $0.contains("pid:") && $0.contains("ppid") }).split(separator: " ")
    let pid = try #require(zip(ids, ids.dropFirst()).first { $0.0 == "pid:" }?.1)
    let signal = lines[(start + 1)...(start + 2)]
      .filter { line in ["si_", "fault", "sender"].contains { line.hasPrefix($0) } }
      .map { line in
        let words = line.split(separator: " ")
        let normalised = zip([""] + words, words).map { before, word in
          before == "PID:" ? processName(word, pid: pid) : normal(word)
        }
        return normalised.joined(separator: " ")
      }
    let place = try #require(placeInPage(lines))
    // Which of a frame's few instructions comes upon the end of the main thread's stack depends on where it begins.
    return (name == "stack-overflow" ? signal : signal + [place]).joined(separator: "\n")
  }

  /// Where in its page the first thread's program counter is: the page itself differs from run to run.
  private func placeInPage(_ lines: [String]) -> String? {
    for line in lines {
      let words = line.split(separator: " ")
      guard let name = words.firstIndex(where: { $0 == "rip:" || $0 == "pc:" }) else { continue }
      return words.dropFirst(name + 1).first.map { "pc \($0.suffix(3))" }
    }
    return nil
  }

  /// Numbers of processes differ from run to run, and begin again at 300 now and then.
  private func processName(_ word: Substring, pid: Substring) -> String { word == pid ? "itself" : "another" }

  /// Addresses of code and of stacks differ from run to run.
  private func normal(_ word: Substring) -> String {
    let plain = word.replacing(",", with: "")
    if plain.hasPrefix("0x") && plain.count > 8 { return "address" }
    guard let number = Int(plain), number > 1000 else { return String(word) }
    return "number"
  }

  /// As the first process of a container, which a raised signal does not kill.
  @Test(.enabled(if: canUnshare), arguments: [("null-read", SIGSEGV), ("trap", SIGILL)])
  func firstProcessDiesOfARealFault(_ name: String, _ signal: Int32) throws {
    let without = try HandlerProbe(name, enabled: false, wrapper: Self.unshare)
    let with = try HandlerProbe(name, wrapper: Self.unshare)
    #expect(with.end == without.end)
    #expect(try with.report().process?.pid == 1)
  }

  @Test(.enabled(if: canUnshare), arguments: [("abort", SIGABRT), ("breakpoint", SIGTRAP)])
  func firstProcessExitsWhereASignalWouldNotKill(_ name: String, _ signal: Int32) throws {
    let with = try HandlerProbe(name, wrapper: Self.unshare)
    #expect(with.end == .exited(128 + signal))
    #expect(try with.report().process?.pid == 1)
  }

  private static let unshare = ["/usr/bin/unshare", "-pf", "--mount-proc"]
  private static let canUnshare = getuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/unshare")

  /// Exactly one whole report, whoever is first.
  @Test func sixteenThreadsAtOnceLeaveOneReport() throws {
    for _ in 0..<(tests_are_full() ? 100 : 10) {
      let run = try HandlerProbe("sixteen-at-once")
      #expect(run.end == .killed(signal: SIGSEGV))
      let report = try run.report()
      #expect(report.threads.count == 17)
      #expect(report.threads.filter { $0.crashed == true }.count == 1)
      #expect(report.threads.allSatisfy { $0.stackEnd == "entry" })
      #expect(report.capture.cutShort.isEmpty)
    }
  }

  /// Threads that crash while another one's crash is captured say what they were dying of.
  @Test func otherCrashesAreNamed() throws {
    let run = try HandlerProbe("crashes-beside")
    #expect(run.end == .killed(signal: SIGSEGV))
    let report = try run.report()
    #expect(report.threads.filter { $0.crashed == true }.count == 1)
    #expect(report.threads.first?.state == "running" && report.threads.first?.signal == nil)
    let others = report.threads.dropFirst().sorted { $0.id < $1.id }
    #expect(others.map(\.state) == ["crashing", "crashing", "crashing"])
    #expect(others.map(\.signal?.name) == ["SIGSEGV", "SIGFPE", "SIGABRT"])
    #expect(others.map(\.signal?.codeName) == ["SEGV_MAPERR", "FPE_INTDIV", "SI_TKILL"])
    #expect(others.first?.faultAddress == "0x0000000000000010" && others.last?.faultAddress == nil)
    #expect(others.allSatisfy { $0.capturedBy == "faultContext" && $0.stackEnd == "entry" })
  }

  /// The crash came first, so the process dies of it.
  @Test func anExitOnAnotherThreadDoesNotReplaceTheCrash() throws {
    let run = try HandlerProbe("signal-waiter")
    #expect(run.end == .killed(signal: SIGSEGV))
    let report = try run.report()
    #expect(report.threads.count == 3)
    #expect(report.threads.allSatisfy { $0.stackEnd == "entry" })
  }
}
