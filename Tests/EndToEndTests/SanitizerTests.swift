import Foundation
import Testing

/// Programs built with a sanitizer: they start under `crashsym run`, the sanitizer says what it says without it, and the
/// status is the same.
struct SanitizerTests {
  struct Build: Sendable, CustomTestStringConvertible {
    var compiler: String
    var sanitizer: String
    var options: [String] = []
    var testDescription: String {
      ([compiler, sanitizer] + options.filter { $0.hasPrefix("-s") }).joined(separator: " ")
    }
  }

  private static let builds = [
    Build(compiler: "gcc", sanitizer: "address"),
    Build(compiler: "gcc", sanitizer: "address", options: ["-static-libasan"]),
    Build(compiler: "gcc", sanitizer: "thread"),
    Build(compiler: "gcc", sanitizer: "thread", options: ["-static-libtsan"]),
    Build(compiler: "gcc", sanitizer: "leak"),
    Build(compiler: "clang", sanitizer: "address"),
    Build(compiler: "clang", sanitizer: "address", options: ["-shared-libasan"]),
  ]

  /// The program, or `nil` if the compiler or this runtime is not installed.
  private func compile(_ build: Build, into folder: TemporaryFolder) throws -> String? {
    guard let compiler = Products.onPath(build.compiler) else { return nil }
    var options = ["-g", "-pthread", "-fsanitize=\(build.sanitizer)"] + build.options
    if build.options == ["-shared-libasan"] {
      let found = try ProgramRun.run([compiler, "-print-file-name=libclang_rt.asan-x86_64.so"])
      let runtimes = URL(filePath: found.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines))
      options.append("-Wl,-rpath,\(runtimes.deletingLastPathComponent().path)")
    }
    let program = folder.url.appending(path: "sanitized").path
    let source = Compiler.programs.appending(path: "sanitized.c").path
    let run = try ProgramRun.run([compiler] + options + ["-o", program, source], seconds: 120)
    return run.end == .exited(0) ? program : nil
  }

  private func headline(_ run: ProgramRun) -> String? {
    run.standardError.firstMatch(of: /(ERROR|WARNING): [A-Z][A-Za-z]*Sanitizer: [A-Za-z -]*/).map { String($0.0) }
  }

  /// The end of a report names the place, which needs the stack.
  private func summary(_ run: ProgramRun) -> String? {
    run.standardError.firstMatch(of: /SUMMARY: .*/).map { String($0.0) }
  }

  @Test(arguments: builds) func `the report and the status are those without CrashKit`(_ build: Build) throws {
    let folder = try TemporaryFolder()
    guard let program = try compile(build, into: folder) else {
      try Test.cancel("\(build.testDescription) is not installed here")
    }
    for what in ["nothing", "last-thread", "overflow", "null", "abort", "race", "race-_exit", "race-_Exit"] {
      let alone = try ProgramRun.run([program, what])
      for guards in ["nothing", "last-thread", "race-_exit"].contains(what) ? [[], ["--thread-guard"]] : [[]] {
        let run = try ProgramRun.run([Products.crashsym, "run", "--quiet"] + guards + ["--", program, what])
        #expect(run.end == alone.end, "\(what) \(guards): \(run.standardError)")
        #expect(headline(run) == headline(alone), "\(what) \(guards): \(run.standardError)")
        #expect(summary(run) == summary(alone), "\(what) \(guards): \(run.standardError)")
      }
    }
  }

  /// The children of a program inherit what is preloaded.
  @Test(arguments: [[], ["--follow"]]) func `a program may start one with a sanitizer`(_ options: [String]) throws {
    let folder = try TemporaryFolder()
    let program = try #require(try compile(Build(compiler: "gcc", sanitizer: "address"), into: folder))
    let run = try ProgramRun.run(
      [Products.crashsym, "run", "--quiet"] + options + ["--", "/bin/sh", "-c", "'\(program)' nothing && exit 5"])
    #expect(run.end == .exited(5), "\(run.standardError)")
  }

  @Test func `the user's preloaded libraries and variables are kept`() throws {
    let folder = try TemporaryFolder()
    let program = try #require(try compile(Build(compiler: "gcc", sanitizer: "address"), into: folder))
    let libraries = try ProgramRun.run(["/usr/bin/ldd", program]).standardOutput
    let runtime = try #require(libraries.firstMatch(of: /libasan\.so\.[0-9]+/)).output
    let run = try ProgramRun.run(
      [Products.crashsym, "run", "--quiet", "--thread-guard", "--", program, "null"],
      environment: ["LD_PRELOAD": String(runtime), "ASAN_OPTIONS": "exitcode=42"])
    #expect(run.end == .exited(42), "\(run.standardError)")
    let own = try ProgramRun.run(
      [Products.crashsym, "run", "--quiet", "--", "/bin/sh", "-c", "echo $ASAN_OPTIONS"],
      environment: ["ASAN_OPTIONS": "verify_asan_link_order=1"])
    #expect(own.standardOutput == "verify_asan_link_order=1\n")
  }
}
