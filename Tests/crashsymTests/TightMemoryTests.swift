import Foundation
import TestEnvironment
import Testing

/// Under a limit of address space (`ulimit -v`), crashsym works or says in one line that it cannot.
@Suite struct TightMemoryTests {
  private static let full = tests_are_full()
  private let scratch = try! Scratch()

  /// From a limit that is wide enough down to one with which the loader gives up.
  @Test(.enabled(if: full)) func tooLittleMemoryIsOneLine() throws {
    let library = try scratch.compile("int crashkit_test_library;", to: "library.so", "-shared", "-fPIC")
    var refusals = 0
    for size in stride(from: 128, to: 24, by: -1) {
      let run = try Command.run(
        "/bin/sh", ["-c", "ulimit -v \(size * 1024); exec \"$0\" run -- true", Command.crashsym],
        environment: ["CRASHSYM_PRELOAD": library])
      switch run.status {
      case 0: #expect(run.errors == "", "\(size) MiB")
      case 71:
        let line = "crashsym: the limit of address space (ulimit -v) leaves less than 16 MiB of memory: raise it\n"
        #expect(run.errors == line, "\(size) MiB")
        refusals += 1
      default:
        #expect(run.status == 127, "\(size) MiB: \(run.errors.prefix(200))")
        #expect(refusals > 0)
        return
      }
    }
  }
}
