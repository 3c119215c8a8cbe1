import CrashReportModel
import Testing

@testable import CrashReportView

@Suite struct UncleanExitViewTests {
  @Test func theTextSaysHowTheProcessEndedAndWhy() throws {
    let text = #"""
      {"schema":"crashkit/1","timestamp":"2026-11-21T08:24:35.500000Z","kind":"uncleanExit",
      "signal":{"number":9,"name":"SIGKILL"},"cause":"killed by SIGKILL",
      "ending":{"classification":"killed","evidence":["its parent saw that it died of SIGKILL"],
      "instance":"0123456789abcdef",
      "unfinishedReport":"20261121T082435.000Z-7-crashReport.json.partial"},
      "process":{"pid":7,"name":"api","uptime":90},"application":{"name":"api","version":"2.1"},
      "breadcrumbs":[{"time":"2026-11-21T08:24:34.500000Z","thread":7,"level":"info","message":"DidEnterBackground"}],
      "metrics":[{"name":"cpu.load","state":"critical","value":"nan","unit":"ratio"}],"capture":{"version":"1"}}
      """#
    let report = CrashReport(fields: try JSONParser.parse(Array(text.utf8)).object)
    #expect(
      TextReport().text(of: report) == """
        api 2.1 ended without a crash report: killed by SIGKILL
        SIGKILL (9), 2026-11-21 08:24:35.500 UTC, 1.5 min after the start

        Evidence
          its parent saw that it died of SIGKILL

        CrashKit did not finish the crash report. The written part is in 20261121T082435.000Z-7-crashReport.json.partial, in the same folder.

        Breadcrumbs
          -1.000s  info    DidEnterBackground

        Metrics
          cpu.load  nan ratio  critical

        Process    api, pid 7

        """)
  }
}
