import Glibc
import Testing

@testable import CoreFiles

/// Causes by what the kernel notes of a signal.
@Suite struct CoreSignalTests {
  private func cause(_ code: Int32, _ address: UInt64, _ machine: CoreMachine = .arm) -> String? {
    let info = CoreNotes.SignalInfo(number: SIGSEGV, code: code, sender: (0, 0), address: address)
    let signal = CoreSignal(number: Int(SIGSEGV), info: info, machine: machine)
    return signal.cause(pid: 1, pc: 0x10_0000, isMapped: { _ in false })?.sentence
  }

  @Test func addressesOfMemoryTags() {
    #expect(cause(1, 0)?.hasPrefix("null pointer dereference") == true)
    // SEGV_MTEAERR has no address, SEGV_MTESERR one that is mapped.
    for code: Int32 in [8, 9, 10] { #expect(cause(code, 0) == nil) }
  }

  @Test func faultsWithoutAnAddress() {
    #expect(cause(0x80, 0, .x86) != nil)
    #expect(cause(0x80, 0, .arm) == nil)
  }
}
