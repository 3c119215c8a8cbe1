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
  @Test(.enabled(if: FileManager.default.fileExists(atPath: preloadLibrary), "the preload library is not built"))
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
  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/strace"), "there is no strace here"))
  func systemCallsAreFew() throws {
    let run = try HandlerProbe("marked-crash", wrapper: ["/usr/bin/strace", "-f", "-o", "trace"])
    let trace = try String(contentsOf: run.files.appending(path: "trace"), encoding: .utf8).split(separator: "\n")
    let fault = try #require(trace.firstIndex { $0.contains("--- SIGSEGV") })
    let names = trace[fault...].compactMap { line in
      line.prefixMatch(of: /[0-9]+ +([a-z0-9_]+)\(/).map { String($0.1) }
    }
    let allowed: Set = [
      "clock_gettime", "close", "fcntl", "fstat", "getdents64", "getpid", "gettid", "newfstatat", "openat", "ppoll",
      "prctl", "prlimit64", "process_vm_readv", "read", "readlinkat", "renameat2", "rt_sigaction", "rt_sigpending",
      "rt_sigprocmask",
      "rt_sigreturn", "rt_sigtimedwait", "rt_tgsigqueueinfo", "sched_getaffinity", "sigaltstack", "sysinfo", "tgkill",
      "timer_create", "timer_settime", "uname", "unlinkat", "write", "flock", "lseek",
      "pause",  // the probe's own: a bystander may come to it only now
      "readlinkat",  // of each descriptor: is memory filled page by page?
      "statx",  // the breadcrumbs' file, which goes when the report is whole
    ]
    #expect(names.count > 20)
    #expect(Set(names).subtracting(allowed).isEmpty, "\(Set(names).subtracting(allowed))")
  }

  /// Functions whose address is taken, and which no handler calls, with the reason. Every other one is taken for
  /// something that a handler reaches: through a table of functions, as a callback, or as the handler itself.
  private static let outsideHandlers = [
    "after_fork": "pthread_atfork", "before_fork": "pthread_atfork", "in_child": "pthread_atfork",
    "prepare": "pthread_once, in the program's own call", "make_key": "pthread_once, at install",
    "build_under_lock": "dl_iterate_phdr, at install", "find_segments": "dl_iterate_phdr, at install",
    "find_note": "dl_iterate_phdr, at install",
    "cph_thread_main": "the start of a thread", "cph_c11_thread_main": "the start of a thread",
    "on_thread_start": "the start of a thread",
    "on_ending": "the end of a thread", "on_thread_end": "the end of a thread",
    "on_throw": "in the Swift runtime's own call", "on_typed_throw": "in the Swift runtime's own call",
    "look_for_sanitizer": "before main", "set_default": "in the program's own call",
    "sigsuspend": "in the program's own call", "record_finding": "in ThreadGuard's own call",
    "signal": "in the program's own call", "bsd_signal": "in the program's own call",
    "sysv_signal": "in the program's own call", "exit": "in the program's own call",
    "quick_exit": "in the program's own call", "ck_leaked_continuation": "in the Swift runtime's own call of fputs",
  ]

  /// Every function of libc that code reachable from the handlers can call, by the disassembly of the probe.
  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/objdump"), "there is no objdump here"))
  func importsAreSafe() throws {
    let code = try Disassembly()
    let own = try Self.ownFunctions()
    let taken = code.taken.filter { own.contains(code.names[$0] ?? "") }
    let roots = taken.filter { Self.outsideHandlers[code.names[$0] ?? ""] == nil }
    #expect(roots.count > 30)
    let missing = try Self.handlersInSources().subtracting(roots.compactMap { code.names[$0] })
    #expect(missing.isEmpty, "\(missing.sorted()) are handed to sigaction, and are no roots")
    #if DEBUG
      // An optimised build puts functions into their callers, and takes no address of them.
      let leftOver = Set(Self.outsideHandlers.keys).subtracting(taken.compactMap { code.names[$0] })
      #expect(leftOver.isEmpty, "\(leftOver.sorted()) need no reason any more")
    #endif
    for root in roots {
      let imports = code.imports(from: root)
      // signal-safety(7), of what copies of structures become.
      let unsafe = imports.filter { !["memcpy", "memset", "memmove"].contains($0.key) }
      #expect(unsafe.isEmpty, "\(code.names[root] ?? "") reaches \(unsafe)")
    }
    #expect(roots.contains { code.reachable(from: $0).contains { code.names[$0] == "ck_unwind" } })
  }

  private static let targets = [
    "CCrashCapture", "CProcessHooks", "CReportParts", "CReportTerms", "CSecrets", "CGround",
  ]

  /// The functions that the capture and the interposed functions define, static ones included.
  private static func ownFunctions() throws -> Set<String> {
    let products = URL(filePath: HandlerProbe.program).deletingLastPathComponent()
    let objects = try targets.flatMap { try files(".o", below: products.appending(path: "\($0).build")) }
    let listed = try Self.output(of: "/usr/bin/nm", ["--defined-only", "--format=posix"] + objects.map(\.path))
    let names = listed.split(separator: "\n").compactMap { line -> String? in
      let fields = line.split(separator: " ")
      return fields.count > 1 && ["t", "T", "W"].contains(fields[1]) ? String(fields[0]) : nil
    }
    try #require(names.count > 500)
    return Set(names)
  }

  /// The names that sources put where sigaction finds a handler.
  private static func handlersInSources() throws -> Set<String> {
    let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Sources")
    var found: Set<String> = []
    for file in try files(".c", below: sources) where targets.contains(where: { file.path.contains("/\($0)/") }) {
      let text = try String(contentsOf: file, encoding: .utf8)
      found.formUnion(text.matches(of: /[.>](?:sa_sigaction|sa_handler|handler) = (on_\w+)/).map { String($0.1) })
    }
    try #require(found.isSuperset(of: ["on_signal", "on_stop", "on_deadline"]), "\(found)")
    return found
  }

  private static func files(_ ending: String, below folder: URL) throws -> [URL] {
    let all = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    let files = all.compactMap { $0 as? URL }.filter { $0.path.hasSuffix(ending) }
    try #require(!files.isEmpty, "no \(ending) below \(folder.path)")
    return files
  }

  /// What a tool prints that ends well.
  static func output(of program: String, _ arguments: [String]) throws -> String {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.standardOutput = pipe
    try process.run()
    let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(program)")
    return text
  }
}

/// Which function of the probe refers to which, by their addresses: many share a name.
private struct Disassembly {
  private(set) var names: [Substring: String] = [:]
  private(set) var calls: [Substring: Set<Substring>] = [:]
  /// The functions whose address is taken, by code or by a table.
  private(set) var taken: Set<Substring> = []

  init() throws {
    let text = try SignalSafetyTests.output(
      of: "/usr/bin/objdump", ["-d", "--no-show-raw-insn", HandlerProbe.program])
    var function: Substring = ""
    for line in text.split(separator: "\n") {
      if line.hasSuffix(">:"), let start = line.firstIndex(of: "<") {
        function = line.prefix { $0 != " " }.drop { $0 == "0" }
        names[function] = String(line[line.index(after: start)...].dropLast(2))
      } else if line.contains("call") || line.contains("jmp") || line.contains("lea "), line.hasSuffix(">"),
        let start = line.lastIndex(of: "<"), !line[start...].contains("+0x")
      {
        // "… call 12ab0 <name>", "… lea 0x12(%rip),%rax # 12ab0 <name>"
        let callee = line[..<start].split(separator: " ").last ?? ""
        calls[function, default: []].insert(callee)
        if line.contains("lea ") { taken.insert(callee) }
      }
    }
    // "… R_X86_64_RELATIVE  12ab0": the loader puts the address of something into a table.
    let relocations = try SignalSafetyTests.output(of: "/usr/bin/readelf", ["-rW", HandlerProbe.program])
    for line in relocations.split(separator: "\n") where line.contains("R_X86_64_RELATIVE") {
      taken.insert(line.split(separator: " ").last ?? "")
    }
    taken.formIntersection(names.keys)
  }

  /// The function and those that it can call.
  func reachable(from root: Substring) -> Set<Substring> {
    var seen: Set = [root]
    var open = [root]
    while let caller = open.popLast() {
      for callee in calls[caller] ?? [] where seen.insert(callee).inserted { open.append(callee) }
    }
    return seen
  }

  /// The functions of other libraries that it can call, each with a caller.
  func imports(from root: Substring) -> [String: String] {
    var found: [String: String] = [:]
    for caller in reachable(from: root) {
      for name in (calls[caller] ?? []).compactMap({ names[$0] }) where name.hasSuffix("@plt") {
        found[String(name.dropLast(4))] = names[caller]
      }
    }
    return found
  }
}
