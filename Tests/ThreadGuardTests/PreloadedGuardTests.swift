import Foundation
import Testing

#if DEBUG
  private let checksAreOn = true
#else
  private let checksAreOn = false
#endif

/// `crashsym run --thread-guard`: what is said at the end, and that a program's own ThreadGuard is the only one.
struct PreloadedGuardTests {
  private func run(
    _ program: [String], options: String = "", environment: [String: String] = [:]
  ) throws -> ProgramRun {
    try ProgramRun(
      "crashsym", ["run", "--thread-guard", "--"] + program,
      environment: ["THREADGUARD_OPTIONS": options].merging(environment) { $1 })
  }

  private static func onPath(_ name: String) -> String? {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  private func own(_ program: String) -> String { ProgramRun.products.appending(path: program).path }

  private func lines(_ run: ProgramRun) -> [Substring] {
    run.errors.split(separator: "\n").filter { $0.hasPrefix("ThreadGuard[") }
      .map { line in line.firstRange(of: "]: ").map { line[$0.upperBound...] } ?? line }
  }

  @Test func `the last line of a program without locks says so`() throws {
    let run = try run(["/bin/true"])
    #expect(run.status == 0)
    #expect(
      lines(run) == [
        "no lock was observed, so nothing was checked; locks that are inlined onto futex cannot be seen"
      ])
  }

  @Test func `the last lines count the observed locks and each Mutex`() throws {
    // crashsym itself is a program of Swift that links no ThreadGuard. It has a Mutex.
    let run = try run([own("crashsym"), "--version"])
    #expect(run.status == 0)
    let line = try #require(lines(run).first)
    let counts = try #require(
      line.wholeMatch(of: /observed (\d+) locks? and (\d+) waits? for queues; (\d+) orders? between two/))
    #expect(Int(counts.1).map { $0 > 0 } == true)
    #expect(
      lines(run).dropFirst() == [
        "a Mutex of Synchronization was observed only while a thread waited for it, because the compiler inlines "
          + "its functions: import ThreadGuardSynchronization in debug builds"
      ], "and nothing was wrong: \(run.errors)")
  }

  private static let rust = onPath("rustc")
  private static let java = onPath("java")
  private static let abseil = ["x86_64", "aarch64"].map { "/usr/lib/\($0)-linux-gnu" }.lazy.flatMap { folder in
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).map { "\(folder)/\($0)" }
  }.first { $0.contains("/libabsl_synchronization.so") }

  private func expectUnseen(_ whose: String, _ run: ProgramRun) {
    #expect(run.status == 0)
    #expect(lines(run).last == "locks were not observed, because they are not libc's: \(whose)", "\(run.errors)")
  }

  @Test(.enabled(if: rust != nil, "there is no rustc here")) func `Rust's locks are named as not observed`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "rust-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let source = folder.appending(path: "quiet.rs").path
    let program = folder.appending(path: "quiet").path
    try "fn main() {}\n".write(toFile: source, atomically: false, encoding: .utf8)
    #expect(try ProgramRun(#require(Self.rust), [source, "-o", program]).status == 0)
    expectUnseen("Rust's", try run([program]))
  }

  @Test(.enabled(if: java != nil, "there is no java here")) func `Java's locks are named as not observed`() throws {
    expectUnseen("Java's", try run([#require(Self.java), "-version"]))
  }

  @Test(.enabled(if: abseil != nil, "there is no abseil here")) func `abseil's locks are named as not observed`() throws
  {
    expectUnseen("abseil's", try run(["/bin/true"], environment: ["LD_PRELOAD": #require(Self.abseil)]))
  }

  @Test func `the watching thread is marked in a crash report`() throws {
    let run = try run([own("diagdemo"), "crash", "async-crash"])
    let headings = run.errors.split(separator: "\n").filter {
      $0.hasPrefix("Thread ") || $0.contains(" with this stack")
    }
    let own = headings.drop { !$0.contains("'s own") }
    #expect(own.count < headings.count && own.allSatisfy { $0.contains("'s own") }, "the program's come first")
    #expect(own.contains { $0.hasSuffix("\"ThreadGuard\", ThreadGuard's own, sleeping") }, "\(run.errors)")
  }

  @Test func `the lines at the end can be left out`() throws {
    #expect(try lines(run(["/bin/true"], options: "summary=no")).isEmpty)
    #expect(try lines(run([own("crashsym"), "--version"], options: "summary=no")).isEmpty)
  }

  /// A shell, which ends without a word, stands for the package manager, and what it starts for a compiler and the tests.
  @Test(arguments: [(nil, 1), ("", 2)])
  func `Swift's own programs are not checked unless the option is set`(_ toolchain: String?, _ told: Int) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "toolchain-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let manager = folder.appending(path: "swift-package").path
    let compiler = folder.appending(path: "swift-frontend").path
    for (program, own) in [("/bin/sh", manager), ("/bin/true", compiler)] {
      let resolved = URL(fileURLWithPath: program).resolvingSymlinksInPath().path
      // By another process: children of this one must not have it open to write (ETXTBSY).
      try #require(ProgramRun("/bin/cp", [resolved, own]).status == 0)
    }
    let run = try ProgramRun(
      "crashsym",
      ["run", "--thread-guard", "--follow", "--", manager, "-c", "'\(compiler)'; /bin/true; :"],
      environment: ["THREADGUARD_OPTIONS": ""].merging(toolchain.map { ["CRASHKIT_TOOLCHAIN": $0] } ?? [:]) { $1 })
    #expect(run.status == 0)
    #expect(lines(run).count == told, "\(run.errors)")
  }

  /// Both engines are in the process: the preloaded one steps aside, and says nothing.
  @Test(
    .enabled(if: checksAreOn),
    arguments: [
      ("lock-probe", "inversion", ["lockOrderInversion: two locks are taken in both orders"]),
      ("guarded-locks-probe", "inversion", ["lockOrderInversion: two locks are taken in both orders"]),
      ("guarded-locks-probe", "same-order", []),
    ])
  func `a program that links ThreadGuard has one engine`(
    _ program: String, _ scenario: String, _ told: [String]
  ) throws {
    let run = try run([own(program), scenario])
    #expect(run.status == 0)
    let all = lines(run)
    #expect(all.filter { $0.hasPrefix("lock") }.map(String.init) == told, "\(run.errors)")
    #expect(all.filter { $0.contains("observed") }.isEmpty, "\(run.errors)")
    #expect(all.filter { $0.contains("1 violation (1 lockOrderInversion)") }.count == told.count, "\(run.errors)")
    #expect(run.reports.count == told.count, "\(run.reports)")
  }
}
