import Foundation
import Testing

/// What the handler calls, seen from outside: nothing that allocates, locks or has to be bound by the loader.
@Suite(.serialized) struct SignalSafetyTests {
  @Test func nothingIsAllocated() throws {
    let run = try HandlerProbe("marked-crash")
    #expect(run.end == .killed(signal: SIGSEGV))
    #expect(!run.errors.contains("allocated"), "\(run.errors)")
    _ = try run.report()
  }

  /// The mark is the last symbol that the loader binds.
  @Test func nothingIsBound() throws {
    let run = try HandlerProbe("marked-crash", environment: ["LD_DEBUG": "bindings"])
    let bindings = Self.bindings(run)
    let mark = try #require(bindings.lastIndex { $0.contains("`getppid'") }, "\(bindings.count) bindings")
    #expect(bindings[(mark + 1)...].isEmpty, "\(bindings[(mark + 1)...].joined(separator: "\n"))")
  }

  /// The same of the preload library, where the package's own functions might be bound late as well.
  @Test(.enabled(if: FileManager.default.fileExists(atPath: preloadLibrary)))
  func nothingIsBoundInThePreloadLibrary() throws {
    let run = try HandlerProbe(
      "marked-crash-alone",
      environment: ["LD_DEBUG": "bindings", "LD_PRELOAD": Self.preloadLibrary, "SWIFT_BACKTRACE": "enable=no"])
    let bindings = Self.bindings(run)
    let mark = try #require(bindings.lastIndex { $0.contains("`getppid'") }, "\(bindings.count) bindings")
    #expect(bindings[(mark + 1)...].isEmpty, "\(bindings[(mark + 1)...].joined(separator: "\n"))")
    _ = try run.report()
  }

  private static func bindings(_ run: HandlerProbe) -> [Substring] {
    run.errors.split(separator: "\n").filter { $0.contains("binding file") }
  }

  static let preloadLibrary = URL(filePath: HandlerProbe.program).deletingLastPathComponent()
    .appending(path: "libCrashKitPreload.so").path

  /// From the fault to the end: no memory is asked for, and nobody waits on a futex.
  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/strace")))
  func systemCallsAreFew() throws {
    let run = try HandlerProbe("marked-crash", wrapper: ["/usr/bin/strace", "-f", "-o", "trace"])
    let trace = try String(contentsOf: run.files.appending(path: "trace"), encoding: .utf8).split(separator: "\n")
    let fault = try #require(trace.firstIndex { $0.contains("--- SIGSEGV") })
    let names = trace[fault...].compactMap { line in
      line.prefixMatch(of: /[0-9]+ +([a-z0-9_]+)\(/).map { String($0.1) }
    }
    let allowed: Set = [
      "clock_gettime", "close", "fcntl", "fstat", "getdents64", "getpid", "gettid", "newfstatat", "openat", "ppoll",
      "prctl", "prlimit64", "process_vm_readv", "read", "renameat2", "rt_sigaction", "rt_sigpending", "rt_sigprocmask",
      "rt_sigreturn", "rt_sigtimedwait", "rt_tgsigqueueinfo", "sched_getaffinity", "sigaltstack", "sysinfo", "tgkill",
      "timer_create", "timer_settime", "uname", "unlinkat", "write", "flock", "lseek",
      "pause",  // the probe's own: a bystander may come to it only now
      "statx",  // the breadcrumbs' file, which goes when the report is whole
    ]
    #expect(names.count > 20)
    #expect(Set(names).subtracting(allowed).isEmpty, "\(Set(names).subtracting(allowed))")
  }

  /// Every function of libc that code reachable from the handlers can call, by the disassembly of the probe.
  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/objdump")))
  func importsAreSafe() throws {
    let code = try Disassembly()
    // What is reached through tables of functions is a root of its own.
    let roots = code.names.filter { _, name in
      ["ck_stage_", "ck_write_", "access_", "no_", "put_unwind"].contains { name.hasPrefix($0) }
        || [
          "on_signal", "on_stop", "on_sample", "on_deadline", "about_to_exit", "make_report", "stop_threads",
          "refresh_images", "find_message", "find_cause", "open_output", "close_output", "repeat_output",
          "find_proc_info", "ck_output_write",
        ].contains(name)
    }.keys
    #expect(roots.count > 30)
    var seen = Set(roots)
    var open = Array(roots)
    var imports: [String: String] = [:]
    while let caller = open.popLast() {
      for callee in code.calls[caller] ?? [] {
        if let name = code.names[callee], name.hasSuffix("@plt") {
          imports[String(name.dropLast(4))] = code.names[caller]
        }
        if seen.insert(callee).inserted { open.append(callee) }
      }
    }
    #expect(seen.contains { code.names[$0] == "ck_unwind" })
    // signal-safety(7), of what copies of structures become.
    let allowed: Set = ["memcpy", "memset", "memmove"]
    #expect(Set(imports.keys).subtracting(allowed).isEmpty, "\(imports.filter { !allowed.contains($0.key) })")
  }
}

/// Which function of the probe refers to which, by their addresses: many share a name.
private struct Disassembly {
  var names: [Substring: String] = [:]
  var calls: [Substring: Set<Substring>] = [:]

  init() throws {
    let objdump = Process()
    let pipe = Pipe()
    objdump.executableURL = URL(filePath: "/usr/bin/objdump")
    objdump.arguments = ["-d", "--no-show-raw-insn", HandlerProbe.program]
    objdump.standardOutput = pipe
    try objdump.run()
    let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    objdump.waitUntilExit()
    var function: Substring = ""
    for line in text.split(separator: "\n") {
      if line.hasSuffix(">:"), let start = line.firstIndex(of: "<") {
        function = line.prefix { $0 != " " }.drop { $0 == "0" }
        names[function] = String(line[line.index(after: start)...].dropLast(2))
      } else if line.contains("call") || line.contains("jmp") || line.contains("lea "), line.hasSuffix(">"),
        let start = line.lastIndex(of: "<"), !line[start...].contains("+0x")
      {
        // "… call 12ab0 <name>", "… lea 0x12(%rip),%rax # 12ab0 <name>"
        calls[function, default: []].insert(line[..<start].split(separator: " ").last ?? "")
      }
    }
  }
}
