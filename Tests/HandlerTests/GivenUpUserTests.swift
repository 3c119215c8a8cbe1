import Foundation
import Testing

/// Families of processes that give up their user and crash.
@Suite(.enabled(if: getuid() == 0)) struct GivenUpUserTests {
  /// The reports in the files that were made before. A private folder, for the user who ran the tests alone.
  private func spares(_ run: HandlerProbe) throws -> [HandlerProbe.Report] {
    let names = try FileManager.default.contentsOfDirectory(atPath: run.directory.path).sorted()
    return try names.filter { $0.hasSuffix(".spare") }.map { name in
      let path = run.directory.appending(path: name)
      let attributes = try FileManager.default.attributesOfItem(atPath: path.path)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
      return try JSONDecoder().decode(HandlerProbe.Report.self, from: Data(contentsOf: path))
    }
  }

  @Test func `each worker leaves a report of its own`() throws {
    let run = try HandlerProbe("user-workers")
    #expect(run.end == .exited(0))
    let reports = try spares(run)
    #expect(Set(reports.compactMap { $0.process?.pid }).count == 2)
    #expect(!run.errors.contains("crashkit-report "))
  }

  /// One of them takes the file, and the other prints its report.
  @Test func `children that share a file do not write over each other`() throws {
    let run = try HandlerProbe("user-heirs")
    #expect(run.end == .exited(0))
    #expect(try spares(run).count == 1)
    #expect(Set(run.errors.matches(of: /crashkit-report [0-9a-f]+-[0-9]+ end/).map { $0.output }).count == 1)
  }

  @Test(arguments: ["user-setresuid", "user-setfsuid", "user-setfsgid", "user-in-new-root"])
  func `the report is in the folder`(_ name: String) throws {
    let run = try HandlerProbe(name)
    #expect(run.end == .killed(signal: SIGSEGV))
    #expect(try spares(run).count == 1)
  }

  @Test func `a file that was removed is not written to`() throws {
    let run = try HandlerProbe("user-spare-removed")
    #expect(run.end == .killed(signal: SIGSEGV))
    #expect(try spares(run).isEmpty)
    #expect(run.errors.contains(" end "))
  }
}
