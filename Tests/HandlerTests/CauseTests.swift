import Foundation
import Testing

/// The cause in words, for deaths that only a few instructions bring about.
@Suite(.serialized) struct CauseTests {
  #if arch(x86_64)
    private func cause(_ name: String, _ code: String) throws -> String? {
      let run = try HandlerProbe(name)
      #expect(run.end == .killed(signal: SIGBUS))
      let report = try run.report()
      #expect(report.signal.codeName == "SI_KERNEL")
      #expect(report.causeCode == code)
      return report.cause
    }

    @Test(arguments: ["push", "call", "return", "load"]) func aStackPointerAstray(_ how: String) throws {
      #expect(
        try cause("stack-astray-\(how)", "invalidStackPointer")
          == "the stack pointer is not a valid address (0x4141414141414140)")
    }

    /// Its instructions fault in the same way.
    @Test(arguments: [("load", "0x4141414141414130"), ("leave", "0x4141414141414140")])
    func aFramePointerAstray(_ how: String, _ address: String) throws {
      #expect(
        try cause("frame-astray-\(how)", "nonCanonicalAccess")
          == "access to a non-canonical address (access at \(address))")
    }
  #endif
}
