import Foundation
import Testing

extension EndToEnd {
  /// A signal comes while the program forks, and CrashKit or ThreadGuard is at work before and behind the fork.
  @Suite struct ForkTests {
    private static let libraries = [
      [], ["libCrashKitPreload.so"], ["libThreadGuardPreload.so"],
      ["libThreadGuardPreload.so", "libCrashKitPreload.so"],
    ]

    @Test(arguments: ["handler", "jump"], libraries)
    func aHandlerMayForkOrJumpOut(_ what: String, _ libraries: [String]) throws {
      let folder = try TemporaryFolder()
      let program = try Compiler.compile("forks_in_handlers.c", into: folder)
      let preloaded = libraries.map { Products.folder.appending(path: $0).path }.joined(separator: ":")
      let run = try ProgramRun.run(
        [program, what], environment: ["LD_PRELOAD": preloaded, "CRASHKIT_DIRECTORY": folder.url.path])
      #expect(run.end == .exited(0) && run.standardOutput == "well: 1\n", "\(run)")
    }
  }
}
