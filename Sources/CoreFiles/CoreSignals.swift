import Glibc

/// Signals and their codes by name, as signal(7) and sigaction(2) have them, and what they say of the cause.
struct CoreSignal {
  let number: Int
  /// Nil where the core does not hold the signal's details.
  let info: CoreNotes.SignalInfo?

  private static let names: [Int32: (name: String, words: String)] = [
    SIGSEGV: ("SIGSEGV", "Segmentation fault"), SIGBUS: ("SIGBUS", "Bus error"),
    SIGILL: ("SIGILL", "Illegal instruction"), SIGTRAP: ("SIGTRAP", "Trace/breakpoint trap"),
    SIGFPE: ("SIGFPE", "Arithmetic exception"), SIGABRT: ("SIGABRT", "Aborted"), SIGSYS: ("SIGSYS", "Bad system call"),
    SIGQUIT: ("SIGQUIT", "Quit"), SIGXCPU: ("SIGXCPU", "CPU time limit exceeded"),
    SIGXFSZ: ("SIGXFSZ", "File size limit exceeded"), SIGSTOP: ("SIGSTOP", "Stopped"),
  ]

  /// For any signal, by code; these are 0 and below, and the kernel's own 0x80.
  private static let generalCodes: [Int32: String] = [
    0: "SI_USER", 0x80: "SI_KERNEL", -1: "SI_QUEUE", -2: "SI_TIMER", -3: "SI_MESGQ", -4: "SI_ASYNCIO", -5: "SI_SIGIO",
    -6: "SI_TKILL",
  ]

  /// By signal, from code 1 on.
  private static let codes: [Int32: [String]] = [
    SIGSEGV: ["SEGV_MAPERR", "SEGV_ACCERR", "SEGV_BNDERR", "SEGV_PKUERR"],
    SIGBUS: ["BUS_ADRALN", "BUS_ADRERR", "BUS_OBJERR", "BUS_MCEERR_AR", "BUS_MCEERR_AO"],
    SIGILL: [
      "ILL_ILLOPC", "ILL_ILLOPN", "ILL_ILLADR", "ILL_ILLTRP", "ILL_PRVOPC", "ILL_PRVREG", "ILL_COPROC", "ILL_BADSTK",
    ],
    SIGTRAP: ["TRAP_BRKPT", "TRAP_TRACE"],
    SIGFPE: [
      "FPE_INTDIV", "FPE_INTOVF", "FPE_FLTDIV", "FPE_FLTOVF", "FPE_FLTUND", "FPE_FLTRES", "FPE_FLTINV", "FPE_FLTSUB",
    ],
    SIGSYS: ["SYS_SECCOMP"],
  ]

  private static let arithmetic = [
    "integer division by zero or overflow", "integer overflow", "floating-point division by zero",
    "floating-point overflow", "floating-point underflow", "inexact floating-point result",
    "invalid floating-point operation", "subscript out of range",
  ]

  private var key: Int32 { Int32(truncatingIfNeeded: number) }
  private var code: Int32? { info?.code }

  /// Whether the process died of it; cores are also taken of processes that go on.
  var isDeadly: Bool { number > 0 && key != SIGSTOP }
  var name: String { Self.names[key]?.name ?? "signal" }
  var words: String { Self.names[key]?.words ?? "Signal \(number)" }

  var codeName: String? {
    guard let code else { return nil }
    if let general = Self.generalCodes[code] { return general }
    guard let names = Self.codes[key], code > 0, Int(code) <= names.count else { return nil }
    return names[Int(code) - 1]
  }

  /// Process and user that sent it, where one did.
  var sender: (pid: Int32, uid: UInt32)? {
    guard let info, code == 0 || code == -1 || code == -6 else { return nil }
    return info.sender
  }

  /// The address that it was about: the one that the kernel gave or, where it gives none, the program counter.
  func address(pc: UInt64?) -> UInt64? {
    guard let info, let code, code > 0, [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP].contains(key) else { return nil }
    if code != 0x80 { return info.address }
    return key == SIGSEGV || key == SIGBUS ? nil : pc
  }

  /// Why, in words; nil where nothing is known beyond the signal.
  func cause(pid: Int?, pc: UInt64?, isMapped: (UInt64) -> Bool) -> String? {
    if let sender {
      if Int(sender.pid) == pid { return key == SIGABRT ? "abort() called" : "raised by the program itself" }
      return "sent by process \(sender.pid) (user \(sender.uid))"
    }
    guard let code, code > 0 else { return nil }
    switch key {
    case SIGSEGV:
      guard let address = address(pc: pc) else { return "access to a non-canonical address, or an unaligned one" }
      let place = "0x" + String(address, radix: 16)
      let isJump = address == pc
      // Linux maps nothing below vm.mmap_min_addr.
      if address < 0x10000 {
        return isJump
          ? "call through a null pointer (jump to \(place))" : "null pointer dereference (access at \(place))"
      }
      if isMapped(address) { return "access that the memory's protection does not allow (access at \(place))" }
      return isJump ? "jump to an unmapped address (\(place))" : "access to unmapped memory (access at \(place))"
    case SIGFPE:
      return Int(code) <= Self.arithmetic.count ? Self.arithmetic[Int(code) - 1] : "arithmetic exception"
    default: return nil
    }
  }
}
