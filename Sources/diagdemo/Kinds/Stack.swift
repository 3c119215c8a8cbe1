import CDiagdemoCrashes
import Dispatch

extension CrashKind {
  /// Stacks that end, or that hold nonsense.
  static let stack = [
    CrashKind("stack-overflow", "recurse without end, in C") { crash_stack_overflow() },
    CrashKind("stack-overflow-dispatch", "recurse without end, on a Dispatch thread") {
      let done = DispatchSemaphore(value: 0)
      DispatchQueue.global().async {
        crash_stack_overflow()
        done.signal()
      }
      done.wait()
    },
    CrashKind("stack-overflow-task", "recurse without end, in a Swift task", .asynchronous { crash_stack_overflow() }),
    CrashKind("recursion", "recurse without end, in Swift") { SwiftCrashes.recurse(1) },
    CrashKind("mutual-recursion", "read from address zero after 100,000 nested calls") {
      crash_mutual_recursion(100_000)
    },
    CrashKind("return-address", "return to an address that was overwritten") { crash_return_address(0x4141_4141_4140) },
    CrashKind("return-address-garbage", "return to an invalid address") {
      crash_return_address(0x4141_4141_4141_4141)
    },
    CrashKind("smash-stack-top", "overwrite the outer frames, then crash") { crash_smash_stack_top() },
    CrashKind("frame-loop", "make a frame its own caller, then crash") { crash_frame_loop() },
    CrashKind("nostack", "push to a stack at address zero") { crash_nostack() },
  ]
}
