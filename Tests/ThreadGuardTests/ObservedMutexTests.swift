import Foundation
import Testing

#if DEBUG
  private let checksAreOn = true
#else
  private let checksAreOn = false
#endif

/// The `Mutex` of ThreadGuardSynchronization, which takes the place of Synchronization's.
@Suite struct ObservedMutexTests {
  @Test(.enabled(if: checksAreOn)) func anInversionIsReportedWithItsLines() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "observed-mutex-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let probe = try LockProbe(
      "inversion", program: "observed-mutex-probe", environment: ["CRASHKIT_DIRECTORY": folder.path()])
    #expect(probe.waitForExit() == 0)
    #expect(probe.standardError.contains("lockOrderInversion: two locks are taken in both orders"))
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder.path()).first)
    let text = try ProgramRun("crashsym", [folder.appending(path: name).path()]).output
    let source = try String(
      contentsOf: Self.root.appending(path: "Tests/ObservedMutexProbe/main.swift"), encoding: .utf8)
    let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
    for lock in ["  first.withLock {", "    second.withLock {", "  second.withLock {", "    first.withLock {"] {
      let line = try #require(lines.firstIndex { $0.hasPrefix(lock) }) + 1
      #expect(text.contains("main.swift:\(line):"), "\(lock) \(line): \(text)")
    }
  }

  @Test func anObservedMutexWorksAsAMutex() throws {
    let run = try ProgramRun("observed-mutex-probe", ["uses"])
    #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
    #expect(run.output == "1 true 1 7\n1 text 1 5\n6 1 1\ntaken\n")
  }

  @Test func aThreadThatLocksItAgainEndsTheProgram() throws {
    let run = try ProgramRun("observed-mutex-probe", ["again"], environment: ["SWIFT_BACKTRACE": "enable=no"])
    #expect(run.status != 0 && run.errors.contains("Recursive call to lock Mutex"), "\(run.errors)")
  }

  /// A function of the real type takes the other one.
  @Test(arguments: [([], true), (["-D", "THREADGUARD"], false)])
  func withoutTheChecksItIsAMutex(_ options: [String], _ isReal: Bool) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "observed-mutex-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let source = Self.root.appending(path: "Sources/ThreadGuardSynchronization/Mutex.swift").path()
    let module = folder.appending(path: "ThreadGuardSynchronization.swiftmodule").path()
    let made = try ProgramRun(
      "/usr/bin/env",
      ["swiftc", "-O", "-swift-version", "6", "-emit-module", "-module-name", "ThreadGuardSynchronization"] + options
        + [source, "-o", module])
    try #require(made.status == 0, "\(made.errors)")
    let program = folder.appending(path: "user.swift")
    let text = """
      import Synchronization
      import ThreadGuardSynchronization

      func real(_ mutex: borrowing Synchronization.Mutex<Int>) {}
      func given(_ mutex: borrowing ThreadGuardSynchronization.Mutex<Int>) { real(mutex) }
      """
    try text.write(to: program, atomically: true, encoding: .utf8)
    let checked = try ProgramRun("/usr/bin/env", ["swiftc", "-typecheck", "-I", folder.path(), program.path()])
    #expect((checked.status == 0) == isReal, "\(checked.errors)")
  }

  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
}
