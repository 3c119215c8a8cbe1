import Foundation
import Testing

/// What each object file of the capture and of the interposed functions imports, beside signal-safety(7). What handlers
/// reach of it is SignalSafetyTests' to tell; a call that neither expects is to be thought about before it is made.
@Suite(.enabled(if: SymbolList.isPossible)) struct ObjectImportTests {
  /// The functions of signal-safety(7), as of Linux man-pages 6.03, that any of these files may call anywhere.
  private static let safe: Set = [
    "_Exit", "_exit", "abort", "access", "alarm", "clock_gettime", "close", "dup", "dup2", "execve", "faccessat",
    "fchmod", "fcntl", "fdatasync", "fork", "fstat", "fstatat", "fsync", "ftruncate", "geteuid", "getpid", "getppid",
    "getuid", "kill", "linkat", "lseek", "lstat", "memccpy", "memchr", "memcmp", "memcpy", "memmove", "memset", "mkdir",
    "mkdirat", "open", "openat", "pipe", "poll", "pselect", "pthread_kill", "pthread_self", "pthread_sigmask", "raise",
    "read", "readlink", "readlinkat", "rename", "renameat", "select", "sem_post", "sigaction", "sigaddset", "sigdelset",
    "sigemptyset", "sigfillset", "sigismember", "signal", "sigpending", "sigprocmask", "sigqueue", "sigsuspend", "stat",
    "stpcpy", "stpncpy", "strcat", "strchr", "strcmp", "strcpy", "strcspn", "strlen", "strncat", "strncmp", "strncpy",
    "strnlen", "strpbrk", "strrchr", "strspn", "strstr", "strtok_r", "time", "timer_settime", "times", "umask", "uname",
    "unlink", "unlinkat", "waitpid", "write",
  ]

  /// Not on the list, and harmless anywhere.
  private static let harmless = [
    "__errno_location": "the address of errno, which a handler keeps",
    "bcmp": "what the compiler makes of memcmp; it has no state",
    "memmem": "it has no state, like memchr",
    "getauxval": "reads what the kernel handed over at the start; it has no state",
    "_GLOBAL_OFFSET_TABLE_": "not a function",
    "__stack_chk_fail": "where a compiler puts it: ends the process",
  ]

  /// Files that no handler reaches: what they do is done at install, before a thread's first function, at a normal exit,
  /// as an error is thrown, or in the program's own call of a capture.
  private static let outsideHandlers: Set = [
    "install.c", "directory.c", "environment.c", "options.c", "ring_files.c",
    "live_capture.c", "live_hang.c", "live_report.c", "noted_guard.c", "spare_request.c", "throw_hooks.c",
    "thread_stack.c",
  ]

  /// What files that handlers do reach call outside of them, with the reason.
  private static let outside: [String: [String: String]] = [
    "abort_call.c": ["dladdr1": install],
    "capture_stack.c": ["mmap": install, "mprotect": install],
    "cfi_cursor.c": ["dlclose": install],
    "unwinder_locks.c": [
      "dlinfo": install, "dl_iterate_phdr": install, "mprotect": install, "sysconf": install,
    ],
    "mapping.c": ["__ehdr_start": "an address that the linker makes", "_end": "an address that the linker makes"],
    "images.c": [
      "dl_iterate_phdr": install, "realpath": install,
      "_dl_find_object": "weak; its address is taken, and it is lock-free by its contract",
      "_r_debug": "data of the loader, read by system calls",
    ],
    "look_away.c": [
      "threadguard_look_away": "weak; its address is taken at install, and it adds to a variable"
    ],
    "program_path.c": ["program_invocation_short_name": "data of libc, set before main"],
    "message.c": [
      "swift_getFatalErrorMessageBuffer": "weak; its address is taken at install, and it returns an address"
    ],
    "guarded_memory.c": [
      "crashkit_memory_guard": "weak data, read by system calls; one word of it is set"
    ],
    "look_up.c": ["dlerror": install, "dlopen": install, "dlsym": install, "dlvsym": install],
    "fault_places.c": ["__libc_stack_end": "data of the loader, set before main"],
    "region_file.c": ["pthread_atfork": install],
    "live_locks.c": ["pthread_atfork": install, "pthread_once": install],
    "swift_async.c": ["swift_job_run": runtimes],
    "swift_task.c": ["dl_iterate_phdr": install, "swift_task_getCurrent": runtimes],
    "task_layout.c": [
      "_swift_concurrency_debug_asyncTaskSize": runtimes,
      "_swift_concurrency_debug_asyncTaskMetadata": runtimes,
      "_swift_concurrency_debug_asyncTaskSlabMetadata": runtimes,
      "_swift_concurrency_debug_internal_layout_version": runtimes,
    ],
    "unwind.c": ["getcontext": install],
    "wait_functions.c": ["dlclose": install, "dladdr1": install],
    "interposed_queues.c": ["pthread_getcpuclockid": interposed],
    "interposed_threads.c": ["malloc": threads, "free": threads, "pthread_attr_getsigmask_np": interposed],
    "last_words.c": ["stderr": "data, compared with"],
    "interposed_execs.c": ["environ": "data of libc, in the program's own call"],
    "process_threads.c": [
      "pthread_key_create": install, "pthread_once": install, "pthread_setspecific": threads,
    ],
    "real_functions.c": [
      "gnu_get_libc_version": "before main",
      "__tsan_init": "weak; its address is compared with", "__sanitizer_set_death_callback": "weak, as __tsan_init",
    ],
    "signal_stacks.c": ["sysconf": install],
    "stack_memory.c": ["mmap": threads, "munmap": threads, "mprotect": threads, "madvise": threads],
  ]
  private static let install = "at install"
  private static let runtimes = "weak; its address is taken or its value read at install"
  private static let threads = "as a thread starts or ends"
  private static let interposed = "in the program's own call"

  /// The imports of a file that nothing above accounts for.
  private static func unaccounted(_ imports: Set<String>, of file: String) -> Set<String> {
    guard !outsideHandlers.contains(file) else { return [] }
    let known = outside[file] ?? [:]
    return imports.filter { name in
      !["cgr_", "ck_", "cph_", "crp_", "csec_", "term_"].contains(where: name.hasPrefix) && !safe.contains(name)
        && harmless[name] == nil
        && known[name] == nil
    }
  }

  private static let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Sources")
  private static let targets = [
    "CCrashCapture", "CProcessHooks", "CReportParts", "CReportTerms", "CSecrets", "CGround",
  ]
  private static let products = URL(filePath: HandlerProbe.program).deletingLastPathComponent()

  /// The C files of a target, by their paths in it.
  private static func files(of target: String) -> [String] {
    let paths = FileManager.default.enumerator(atPath: sources.path)?.compactMap { $0 as? String } ?? []
    return paths.filter { $0.hasSuffix(".c") }.compactMap { path in
      path.firstRange(of: "\(target)/").map { String(path[$0.upperBound...]) }
    }
  }

  private static func name(of file: String) -> String { URL(filePath: file).lastPathComponent }

  private static func object(of file: String, in target: String) -> URL {
    products.appending(path: "\(target).build").appending(path: "\(file).o")
  }

  private static func imports(of object: URL) throws -> Set<String> {
    Set(try SymbolList(of: object.path, "--undefined-only").symbols.map(\.name))
  }

  @Test(arguments: targets)
  func everyImportIsAccountedFor(_ target: String) throws {
    let files = Self.files(of: target)
    #expect(files.count > 2)
    for file in files {
      let left = Self.unaccounted(try Self.imports(of: Self.object(of: file, in: target)), of: Self.name(of: file))
      #expect(left.isEmpty, "\(file) imports \(left.sorted())")
    }
  }

  /// CGround's look_up.c takes away what the loader keeps of a look-up in vain.
  @Test(arguments: targets + ["COldGlibc", "CMemoryGuard", "CThreadGuard"])
  func onlyOneFileLooksUp(_ target: String) throws {
    for file in Self.files(of: target) where Self.name(of: file) != "look_up.c" {
      let calls = try Self.imports(of: Self.object(of: file, in: target)).intersection(["dlopen", "dlsym", "dlvsym"])
      #expect(calls.isEmpty, "\(file) calls \(calls.sorted()): include CGround/look_up.h instead")
    }
  }

  /// A reason that nothing needs any more would let the next call in.
  @Test func noReasonIsLeftOver() throws {
    for (name, reasons) in Self.outside {
      // The source decides: a build folder keeps the objects of files that moved.
      let objects = Self.targets.flatMap { target in
        Self.files(of: target).filter { Self.name(of: $0) == name }.map { Self.object(of: $0, in: target) }
      }
      let object = try #require(objects.first, "\(name)")
      let imports = try Self.imports(of: object)
      #expect(Set(reasons.keys).subtracting(imports).isEmpty, "\(name): \(Set(reasons.keys).subtracting(imports))")
    }
  }

  @Test func anAllocationInAHandlersFileIsFound() {
    #expect(Self.unaccounted(["memcpy", "malloc", "ck_unwind"], of: "handler.c") == ["malloc"])
    #expect(Self.unaccounted(["printf", "dlopen", "pthread_mutex_lock"], of: "unwind.c").count == 3)
  }
}
