import CrashReportModel
import Glibc

/// A core's signal, and what it says of the cause.
struct CoreSignal {
  let number: Int
  /// Nil if the core does not hold the signal's details.
  let info: CoreNotes.SignalInfo?
  let machine: CoreMachine

  /// From here on codes are of memory tags and of what protects the flow of control (SEGV_MTEAERR): the address says
  /// nothing of what is mapped.
  private static let firstTagCode: Int32 = 8

  /// By code, from 1 on.
  private static let arithmetic: [CrashReport.CauseCode] = [
    .integerDivision, .integerOverflow, .floatingDivision, .floatingOverflow, .floatingUnderflow, .floatingInexact,
    .floatingInvalid, .subscriptRange,
  ]

  private var key: Int32 { Int32(truncatingIfNeeded: number) }
  private var code: Int32? { info?.code }

  /// Whether the process died of it; cores are also taken of processes that go on.
  var isDeadly: Bool { number > 0 && key != SIGSTOP }
  var name: String { CrashReport.Signal.name(of: key) ?? "signal" }
  var words: String { CrashReport.Signal.words(of: key) ?? "Signal \(number)" }

  var codeName: String? { code.flatMap { CrashReport.Signal.codeName(of: key, code: $0) } }

  /// Process and user that sent it if one did.
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

  /// Why, as a code and in a sentence; nil if only the signal is known.
  func cause(pid: Int?, pc: UInt64?, isMapped: (UInt64) -> Bool) -> (code: CrashReport.CauseCode, sentence: String)? {
    if let sender {
      if Int(sender.pid) == pid { return Self.plain(key == SIGABRT ? .abortCalled : .raised) }
      return (.sentByProcess, CrashReport.CauseCode.sentByProcess.sentence([sender.pid, sender.uid]))
    }
    guard let code, code > 0 else { return nil }
    switch key {
    case SIGSEGV: return segmentation(pc: pc, isMapped)
    case SIGFPE: return Self.plain(Int(code) <= Self.arithmetic.count ? Self.arithmetic[Int(code) - 1] : .arithmetic)
    default: return nil
    }
  }

  private static func plain(_ code: CrashReport.CauseCode) -> (CrashReport.CauseCode, String) { (code, code.words) }

  private func segmentation(pc: UInt64?, _ isMapped: (UInt64) -> Bool) -> (CrashReport.CauseCode, String)? {
    // Without an address: of a general protection fault of x86-64. On AArch64 a handler's frame was damaged.
    guard let address = address(pc: pc) else { return machine == .x86 ? Self.plain(.nonCanonicalOrUnaligned) : nil }
    if let code, code >= Self.firstTagCode { return nil }
    let place = "0x" + String(address, radix: 16)
    let isJump = address == pc
    func at(_ code: CrashReport.CauseCode, _ verb: String) -> (CrashReport.CauseCode, String) {
      (code, "\(code.words) (\(verb)\(place))")
    }
    // Linux maps nothing below vm.mmap_min_addr.
    if address < 0x10000 { return isJump ? at(.nullCall, "jump to ") : at(.nullDereference, "access at ") }
    if isMapped(address) { return at(.disallowedAccess, "access at ") }
    return isJump ? at(.unmappedJump, "") : at(.unmappedAccess, "access at ")
  }
}
