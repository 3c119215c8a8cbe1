import CrashReportModel
import Foundation
import Testing

#if DEBUG
  private let checksAreOn = true
#else
  private let checksAreOn = false
#endif

/// A program that links CrashKit and ThreadGuard: both write to one folder, and each knows of the other.
@Suite(.enabled(if: checksAreOn)) struct GuardedProgramTests {
  private func run(_ what: String, files: [String: String] = [:], options: String? = nil) throws -> ViolationProbe {
    // The folder that the program names is the one that is looked at.
    try ViolationProbe(
      "@", what, program: "guarded-probe", options: options, files: files, environment: ["CRASHKIT_DIRECTORY": ""])
  }

  private func reports(_ probe: ViolationProbe) throws -> [CrashReport] {
    try FileManager.default.contentsOfDirectory(atPath: probe.folder.path()).filter { $0.hasSuffix(".json") }.sorted()
      .map { name in
        let bytes = try Data(contentsOf: probe.folder.appending(path: name))
        return CrashReport(fields: try JSONParser.parse(Array(bytes)).object)
      }
  }

  @Test func aViolationGoesWhereCrashesGoAndLeavesABreadcrumb() throws {
    let probe = try run("capture")
    #expect(probe.end == 0)
    let reports = try reports(probe).sorted { $0.kind == .mainQueueViolation && $1.kind != .mainQueueViolation }
    #expect(reports.map(\.kind) == [.mainQueueViolation, .capture])
    #expect(reports.map { $0.application?.version } == ["1.5", "1.5"])
    let violation = try #require(reports.first?.violation)
    #expect(violation.code == "wrong-queue" && violation.actual == "background")
    #expect(violation.sourceLocation?.file == "guarded_probe/main.swift")
    let crumb = try #require(reports.last?.breadcrumbs?.last)
    #expect(crumb.fields["category"] == .string("ThreadGuard"))
    #expect(crumb.message?.hasPrefix("mainQueueViolation: breakRuleInSwift() must run on queue") == true)
  }

  @Test func abortLeavesAFullReport() throws {
    let probe = try run("abort")
    #expect(probe.end == -SIGABRT)
    let reports = try reports(probe)
    // Both may bear the same millisecond.
    #expect(Set(reports.map(\.kind)) == [.mainQueueViolation, .crashReport])
    let crash = reports.first { $0.kind == .crashReport }
    #expect(crash?.breadcrumbs?.contains { $0.fields["category"] == .string("ThreadGuard") } == true)
  }

  @Test func theVariableOverrulesTheProgram() throws {
    #expect(try run("abort", options: "mainQueueViolation=log").end == 0)
    #expect(try run("abort", options: "mode=collect").end == 0)
  }

  @Test func aHandlerIsCalledHereForSwiftAndElsewhereForC() throws {
    let probe = try run("handle")
    #expect(probe.end == 0)
    let lines = probe.output.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.first?.hasPrefix("here: mainQueueViolation error wrong-queue: breakRuleInSwift() must run") == true)
    #expect(lines.last == "elsewhere: lockMisuse note off-by-one: found in C")
    // In place of the lines; the files are there all the same.
    #expect(probe.errors.filter { $0.contains("must run") }.isEmpty)
    #expect(try reports(probe).count == 2)
  }

  @Test func collectedViolationsAreTakenOnce() throws {
    let probe = try run("collect")
    let lines = probe.output.split(separator: "\n")
    #expect(lines.count == 5)
    #expect(lines.prefix(4).filter { $0.hasSuffix(" 1") && $0.hasPrefix("mainQueueViolation error") }.count == 2)
    #expect(lines.prefix(4).filter { $0 == "lockMisuse note off-by-one: found in C 0" }.count == 2)
    #expect(lines.last == "0 [0, 0, 0]")
    #expect(try reports(probe).isEmpty)
  }

  @Test func rulesLimitAndStatusCanBeSetInCode() throws {
    let probe = try run("suppress", files: ["rules": "lockMisuse/double-unlock image:*\nlockMisuse function:*\n"])
    // No stack, so that no image matches.
    #expect(probe.output == "true\ntrue\ntrue\ntrue\n")
    #expect(probe.end == 4)
    #expect(try reports(probe).count == 1)
    #expect(probe.errors.contains { $0.hasPrefix("the limit of 1 report is reached") })
    #expect(probe.errors.filter { $0.hasSuffix("never matched") }.count == 2)
  }
}
