import Foundation
import Testing

/// Programs that give up their user after the installation: they may no longer make a file in the folder.
@Suite(.enabled(if: getuid() == 0)) struct GivenUpUserTests {
  private func crashReport(in process: EndedProcess, sourceLocation: Testing.SourceLocation = #_sourceLocation) throws {
    let names = try process.names()
    try #require(
      names.count == 1 && names[0].hasSuffix("-crashReport.json"), "\(names)", sourceLocation: sourceLocation)
    let path = process.folder.url.appending(path: names[0]).path
    try expectValid(path, sourceLocation: sourceLocation)
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600, sourceLocation: sourceLocation)
    #expect(attributes[.ownerAccountID] as? Int == 0, sourceLocation: sourceLocation)
    let report = try ProducedReport(path: path)
    #expect(report.signal?.name == "SIGSEGV", sourceLocation: sourceLocation)
    #expect(report.breadcrumbs?.last?.message == "last one", sourceLocation: sourceLocation)
  }

  @Test(arguments: ["setuid", "seteuid", "setreuid"])
  func `a crash leaves its report in the folder`(_ function: String) throws {
    let process = try EndedProcess()
    let run = try process.end("\(function)-crash")
    #expect(run.end == .killed(signal: SIGSEGV))
    #expect(!run.standardError.contains("crashkit-report "))
    let names = try process.names()
    let spare = try #require(names.first { $0.hasSuffix(".spare") }, "\(names)")
    let path = process.folder.url.appending(path: spare).path
    #expect(run.standardError.contains("read it with: crashsym \(path)\n"))
    for argument in [path, process.folder.url.path] {
      let group = try ProgramRun.run([Products.crashsym, "group", argument])
      #expect(group.end == .exited(0) && group.standardOutput.contains("nullWrite"), "\(group)")
    }
    #expect(try process.tell() == [])
    try crashReport(in: process)
  }

  @Test func `crashsym run shows the report`() throws {
    let process = try EndedProcess()
    let script = "import ctypes, os; os.setgid(65534); os.setuid(65534); ctypes.string_at(8)"
    let run = try ProgramRun.run(
      [Products.crashsym, "run", "--output", process.folder.url.path, "--", "/usr/bin/python3", "-c", script],
      environment: process.environment)
    #expect(run.end == .killed(signal: SIGSEGV))
    #expect(run.standardError.contains("died of SIGSEGV"))
    #expect(run.standardError.contains("-crashReport.json\n"))
    #expect(try process.names().count == 1)
  }

  /// Programs such as setpriv, gosu and su-exec: their own file is gone with them, and the folder is closed to the next.
  @Test(arguments: [[], ["--follow"]])
  func `a program that starts as another user leaves its report in the folder`(_ options: [String]) throws {
    let process = try EndedProcess()
    let folder = process.folder.url.path
    let script = "import ctypes; ctypes.string_at(8)"
    let run = try ProgramRun.run(
      [Products.crashsym, "run", "--output", folder] + options
        + ["--", "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/python3", "-c", script],
      environment: process.environment)
    #expect(run.end == .killed(signal: SIGSEGV))
    #expect(run.standardError.contains("died of SIGSEGV"))
    #expect(!run.standardError.contains("no report") && !run.standardError.contains("crashkit-report "))
    let names = try process.names()
    try #require(names.count == 1 && names[0].hasSuffix("-crashReport.json"), "\(names)")
    #expect(run.standardError.contains("the report is \(folder)/\(names[0])\n"))
    try expectValid("\(folder)/\(names[0])")
  }

  /// What is handed to a program that asks reaches no other one.
  @Test func `no program inherits a file for a report`() throws {
    let process = try EndedProcess()
    // Preloaded programs ask for files of their own; this one is not.
    let script = "exec env -u LD_PRELOAD ls -l /proc/self/fd"
    let run = try ProgramRun.run(
      [Products.crashsym, "run", "--output", process.folder.url.path]
        + ["--", "setpriv", "--reuid=65534", "--clear-groups", "/bin/sh", "-c", script],
      environment: process.environment)
    #expect(run.end == .exited(0))
    #expect(run.standardOutput.contains(" 0 -> "))
    #expect(!run.standardOutput.contains(".spare"))
    #expect(try process.names() == [])
  }

  @Test func `a clean exit leaves nothing for the next launch to report`() throws {
    let process = try EndedProcess()
    let run = try process.end("setuid-exit")
    #expect(run.end == .exited(0))
    #expect(try process.tell() == [])
    #expect(try process.names() == [])
  }

  @Test func `a program that closes everything prints its report, and the next launch says so`() throws {
    let process = try EndedProcess()
    let run = try process.end("setuid-closefrom-crash")
    #expect(run.end == .killed(signal: SIGSEGV))
    #expect(run.standardError.contains("crashkit-report "))
    #expect(run.standardError.contains("report: on stderr as numbered lines"))
    #expect(!run.standardError.contains("crashReport.json"))
    try process.tell()
    let report = try process.report()
    #expect(report.cause == "it crashed (SIGSEGV), and its report is on its standard error, as numbered lines")
    #expect(report.signal?.name == "SIGSEGV")
  }
}
