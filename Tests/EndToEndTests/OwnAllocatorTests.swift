import Foundation
import Testing

extension EndToEnd {
  /// Allocators that the program brings along: they may call an interposed function before they can allocate.
  @Suite struct OwnAllocatorTests {
    private static let options: [[String]] = [[], ["--thread-guard"]]

    /// `program` ends as without CrashKit, and a crash leaves a report.
    private func check(_ program: String, healthy: String, crash: String, _ options: [String]) throws {
      for (what, reports) in [(healthy, 0), (crash, 1)] {
        let folder = try TemporaryFolder()
        let alone = try ProgramRun.run([program, what])
        let run = try ProgramRun.run(
          [Products.crashsym, "run", "--quiet"] + options + ["--output", folder.url.path, "--", program, what])
        #expect(run.end == alone.end, "\(what) \(options): \(run.standardError)")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(files.filter { $0.hasSuffix(".json") }.count == reports, "\(files)")
      }
    }

    @Test(arguments: options) func `no interposed function allocates in the allocator's start`(
      _ options: [String]
    ) throws {
      let folder = try TemporaryFolder()
      let program = try Compiler.compile("own_allocator.c", into: folder, options: ["-fno-builtin"])
      try #require(try ProgramRun.run([program]).end == .exited(3))
      try check(program, healthy: "nothing", crash: "null", options)
    }

    @Test(arguments: options) func `a library that begins after an early call has its environment`(
      _ options: [String]
    ) throws {
      let folder = try TemporaryFolder()
      let library = try Compiler.compile("early_library.c", into: folder, options: ["-fPIC", "-shared"])
      let program = try Compiler.compile(
        "early_program.c", into: folder,
        options: ["-rdynamic", "-Wl,--no-as-needed", library, "-Wl,-rpath,\(folder.url.path)"])
      try #require(try ProgramRun.run([program]).end == .exited(3))
      let run = try ProgramRun.run([Products.crashsym, "run", "--quiet"] + options + ["--", program])
      #expect(run.end == .exited(3), "\(options): \(run.standardError)")
    }

    @Test(arguments: options) func `a program with scudo ends as without CrashKit`(_ options: [String]) throws {
      let folder = try TemporaryFolder()
      let program = folder.url.appending(path: "scudo").path
      let source = Compiler.programs.appending(path: "sanitized.c").path
      guard let clang = Products.onPath("clang"),
        try ProgramRun.run([clang, "-g", "-pthread", "-fsanitize=scudo", "-o", program, source], seconds: 120).end
          == .exited(0)
      else { try Test.cancel("clang's scudo is not installed here") }
      try check(program, healthy: "nothing", crash: "null", options)
    }
  }
}
