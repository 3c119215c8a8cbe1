import CrashReportModel
import Foundation
import Testing

extension EndToEnd {
  /// Names of threads, programs, files and options that a terminal or a CI service would obey: no output has them raw.
  @Suite struct HostileNamesTests {
    private static let name = "a\n::error::b\u{1B}[2J##[error]c\u{202E}d\u{9B}31m"

    private func expectHarmless(
      _ text: String, _ whose: String, sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) {
      #expect(!text.isEmpty, "\(whose)", sourceLocation: sourceLocation)
      for line in text.split(separator: "\n") {
        let hazards = line.unicodeScalars.filter(\.isHazard)
        let command = line.drop(while: \.isWhitespace).hasPrefix("::") || line.contains("##[")
        #expect(hazards.isEmpty && !command, "\(whose): \(line.debugDescription)", sourceLocation: sourceLocation)
      }
    }

    @Test func theProcessesOwnLines() throws {
      let folder = try TemporaryFolder()
      let reports = folder.url.appending(path: "reports\(Self.name)").path
      let compiled = try Compiler.compile("hostile_names.c", into: folder, options: ["-pthread"])
      let program = folder.url.appending(path: "p\(Self.name)").path
      try FileManager.default.moveItem(atPath: compiled, toPath: program)
      let run = try ProgramRun.run(
        [Products.crashsym, "run", "--thread-guard", "--output", reports, "--", program],
        environment: [
          "CRASHKIT_OPTIONS": "summary=yes,x\(Self.name)=1",
          "THREADGUARD_OPTIONS": "y\(Self.name),suppressions=/none/\(Self.name)",
        ])
      #expect(run.end == .killed(signal: SIGSEGV))
      for line in ["lockOrderInversion", "THREADGUARD_OPTIONS: not", "No such file", "CRASHKIT_OPTIONS: not"] {
        #expect(run.standardError.contains(line), "\(line): \(run.standardError.debugDescription)")
      }
      expectHarmless(run.standardError, "crashsym run")

      let files = try FileManager.default.contentsOfDirectory(atPath: reports).filter { $0.hasSuffix(".json") }
      try #require(files.count == 2, "\(files)")
      for file in files {
        let path = "\(reports)/\(file)"
        expectHarmless(try String(contentsOfFile: path, encoding: .utf8), file)
        for format in [
          "text", "json", "dot", "collapsed", "sarif", "speedscope", "firefox", "markdown", "html", "junit",
        ] {
          let shown = try ProgramRun.run([Products.crashsym, "--all-breadcrumbs", "--format", format, path])
          // Only a violation of the order of locks has a graph.
          let hasNone = format == "dot" && !file.hasSuffix("-lockOrderInversion.json")
          #expect(shown.end == .exited(hasNone ? 65 : 0), "\(file) as \(format)")
          #expect(shown.standardOutput.isEmpty == hasNone, "\(file) as \(format)")
          if hasNone { continue }
          expectHarmless(shown.standardOutput, "\(file) as \(format)")
        }
        let github = try ProgramRun.run([Products.crashsym, "--format", "github", path]).standardOutput
        #expect(github.split(separator: "\n").count == 1 && github.hasPrefix("::error "))
        #expect(github.dropLast().unicodeScalars.allSatisfy { !$0.isHazard })
      }
    }

    @Test func whatTheCommandsPrintOfTheirArguments() throws {
      let name = Self.name
      for arguments in [
        [name], [name, name], ["--\(name)"], ["--format", name, "x"], ["run", "--", name], ["lookup", name, "1"],
        ["lookup", "/bin/sh", name], ["group", name], ["group", "--since", name, "/tmp"],
        ["symbols", "add", name, "--to", name], ["doctor", name], ["\(name) ::error::", "x"],
        ["stream", "--jobs", name], ["run", "--output", "/proc/\(name)", "--", "true"], ["run", name],
        ["symbols", name],
      ] {
        let run = try ProgramRun.run([Products.crashsym] + arguments)
        #expect(run.end != .exited(0), "\(arguments)")
        expectHarmless(run.standardError, "crashsym \(arguments)")
        if !run.standardOutput.isEmpty { expectHarmless(run.standardOutput, "crashsym \(arguments)") }
      }
      for arguments in [
        [name], ["crash", name], ["--\(name)"], ["stress", "--workload", name],
        ["stress", "--output", "/proc/\(name)"],
        ["watch", "--threshold", name], ["watch", "--journal", "/proc/\(name)"], ["watch", "--refresh", name],
        ["crash", "null-read", name],
      ] {
        let run = try ProgramRun.run([Products.diagdemo] + arguments)
        #expect(run.end != .exited(0), "\(arguments)")
        expectHarmless(run.standardError, "diagdemo \(arguments)")
      }
    }
  }
}
