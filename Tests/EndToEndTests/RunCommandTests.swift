import Foundation
import Testing

extension EndToEnd {
  /// `crashsym run`: programs that know nothing of us.
  @Suite struct RunCommandTests {
    @Test func programInC() throws {
      try expectReport(
        of: "waiting.c", signal: "SIGSEGV", cause: "null pointer dereference", function: "deposit", threads: 3)
    }

    @Test func programInCxx() throws {
      try expectReport(
        of: "lookup.cpp", signal: "SIGSEGV", cause: "null pointer dereference", function: "store::Shelf::count",
        threads: 3)
    }

    @Test(.enabled(if: Products.onPath("rustc") != nil, "there is no rustc here"))
    func programInRust() throws {
      try expectReport(
        of: "register.rs", signal: "SIGSEGV", cause: "null pointer dereference", function: "write_register",
        threads: 2)
    }

    @Test func programInSwift() throws {
      try expectReport(of: "release.swift", signal: "SIGILL", cause: nil, function: "price(of:in:)", threads: 3)
    }

    @Test func python() throws {
      let python = try #require(Products.onPath("python3"))
      let victim = try Victim(
        [Products.crashsym, "run", "--", python, "-c", "import ctypes; ctypes.string_at(0)"])
      #expect(victim.run.end == .killed(signal: SIGSEGV))
      let report = try victim.report()
      #expect(report.cause?.contains("null pointer dereference") == true)
      #expect(report.threads.allSatisfy { $0.stackEnd == "entry" })
      let functions = try victim.symbolicatedReport().threads[0].frames.compactMap(\.description)
      #expect(functions.contains { $0.contains("string_at") || $0.contains("strlen") }, "\(functions)")
    }

    @Test func exceptionsInsideAPluginStillWork() throws {
      let folder = try TemporaryFolder()
      let host = try Compiler.compile("plugin_host.cpp", into: folder, options: ["-ldl"])
      let plugin = try Compiler.compile("plugin.cpp", into: folder, options: ["-shared", "-fPIC"])
      let run = try ProgramRun.run([Products.crashsym, "run", "--", host, plugin])
      #expect(run.end == .exited(0), Comment(rawValue: run.standardError))
      #expect(run.standardOutput == "42\n")

      let victim = try Victim([Products.crashsym, "run", "--", host, plugin, "crash"])
      #expect(victim.run.standardOutput == "42\n")
      #expect(victim.run.end == .killed(signal: SIGSEGV))
      #expect(try victim.report().cause?.contains("null pointer dereference") == true)
    }

    @Test func lockChecksAndTheCaptureKnowEachOther() throws {
      let folder = try TemporaryFolder()
      let program = try Compiler.compile("opposite_orders.c", into: folder, options: ["-pthread"])
      let kept = folder.url.appending(path: "reports").path
      let run = try ProgramRun.run(
        [Products.crashsym, "run", "--thread-guard", "--quiet", "--output", kept, "--", program])
      #expect(run.end == .killed(signal: SIGSEGV))
      let reports = try FileManager.default.contentsOfDirectory(atPath: kept).filter { $0.hasSuffix(".json") }
      try #require(reports.count == 2, "\(reports)")
      // By kind, not by time: both may be written in the same millisecond.
      let inversion = try #require(reports.first { $0.hasSuffix("-lockOrderInversion.json") }, "\(reports)")
      let crashReport = try #require(reports.first { $0.hasSuffix("-crashReport.json") }, "\(reports)")
      let violation = try ProgramRun.run([Products.crashsym, "\(kept)/\(inversion)"]).standardOutput
      #expect(violation.contains("A → B → A") && violation.contains("opposite_orders.c:"))
      let bytes = try Data(contentsOf: URL(filePath: "\(kept)/\(crashReport)"))
      let crash = try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
      let crumbs = try #require(crash["breadcrumbs"] as? [[String: Any]])
      #expect(crumbs.contains { $0["message"] as? String == "lockOrderInversion: two locks are taken in both orders" })
      let threads = try #require(crash["threads"] as? [[String: Any]])
      let held = threads.compactMap { ($0["heldLocks"] as? [[String: Any]])?.first?["address"] as? String }
      let wanted = threads.compactMap { ($0["waitingFor"] as? [String: Any])?["address"] as? String }
      #expect(held.count == 1 && held == wanted)
    }

    @Test func programsStatusAndStreamsPassThrough() throws {
      let run = try ProgramRun.run(
        [Products.crashsym, "run", "--", "/bin/sh", "-c", "cat; echo said >&2; exit 7"], input: "given")
      #expect(run.end == .exited(7))
      #expect(run.standardOutput == "given")
      #expect(run.standardError == "said\n")
    }

    /// The path is the only thing that the user cannot know.
    @Test func quietPrintsOnlyThePath() throws {
      let dying = ["/bin/sh", "-c", "kill -SEGV $$"]
      let run = try ProgramRun.run([Products.crashsym, "run", "--quiet", "--"] + dying)
      #expect(run.end == .killed(signal: SIGSEGV))
      let lines = run.standardError.split(separator: "\n")
      try #require(lines.count == 1, Comment(rawValue: run.standardError))
      let path = try #require(lines[0].split(separator: "crashsym: the report is ").first.map(String.init))
      defer { try? FileManager.default.removeItem(at: URL(filePath: path).deletingLastPathComponent()) }
      #expect(path.hasSuffix("-crashReport.json") && FileManager.default.fileExists(atPath: path))

      let folder = try TemporaryFolder()
      let kept = folder.url.appending(path: "reports").path
      for flags in [["--output", kept], ["--output", kept, "--follow"]] {
        let silent = try ProgramRun.run([Products.crashsym, "run", "--quiet"] + flags + ["--"] + dying)
        #expect(silent.end == .killed(signal: SIGSEGV))
        #expect(silent.standardError == "")
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: kept).filter { $0.hasSuffix(".json") }.count == 2)
    }

    /// No parent but the program itself was told its end. What an earlier run left is another's.
    @Test func aKilledChildIsReportedInANamedFolder() throws {
      let folder = try TemporaryFolder()
      let kept = folder.url.appending(path: "reports").path
      let earlier = ["/bin/sh", "-c", "/bin/sh -c 'kill -KILL $$'; exit 3"]
      func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: kept) }
      let alone = try ProgramRun.run([Products.crashsym, "run", "--output", kept, "--"] + earlier)
      let none = try names()
      #expect(alone.end == .exited(3) && none == [])
      for count in 1...2 {
        let run = try ProgramRun.run([Products.crashsym, "run", "--output", kept, "--follow", "--"] + earlier)
        #expect(run.end == .exited(3))
        #expect(run.standardError.contains("ended without a crash report"), "\(run.standardError)")
        let left = try names()
        #expect(left.count == count && left.allSatisfy { $0.hasSuffix("-uncleanExit.json") }, "\(left)")
      }
    }

    @Test func aProgramThatInstallsItselfLeavesOneReport() throws {
      let victim = try Victim([Products.crashsym, "run", "--", Products.diagdemo, "crash", "null-read"])
      #expect(victim.run.end == .killed(signal: SIGSEGV))
      #expect(try victim.report().attributes?["kind"] == "null-read")
    }

    /// Compiles one of our Programs optimised, lets it die under `crashsym run`, and judges the report.
    private func expectReport(of source: String, signal: String, cause: String?, function: String, threads: Int) throws
    {
      let folder = try TemporaryFolder()
      let path = try Compiler.compile(source, into: folder)
      let plain = try ProgramRun.run([path], environment: ["SWIFT_BACKTRACE": "enable=no"])
      let victim = try Victim([Products.crashsym, "run", "--", path])
      #expect(victim.run.end == plain.end)

      let report = try victim.report()
      #expect(report.signal?.name == signal)
      if let cause { #expect(report.cause?.contains(cause) == true, "\(report.cause ?? "no cause")") }
      #expect(report.threads.count >= threads)
      for thread in report.threads { #expect(thread.stackEnd == "entry", "\(thread.name ?? "")") }

      let symbolicated = try victim.symbolicatedReport()
      let own = try #require(
        symbolicated.threads.first?.frames.first { frame in
          frame.system != true && frame.sourceLocation?.file.hasSuffix(source) == true
        })
      #expect(own.description?.contains(function) == true, "\(own.description ?? "no function")")
      #expect(own.sourceLocation?.line == (try Compiler.crashLine(of: source)))
    }
  }
}
