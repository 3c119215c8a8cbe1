import CrashReportModel
import CrashReportReading
import Foundation
import TestEnvironment
import Testing

@testable import CrashReportView

/// Numbers at the ends of their ranges: whoever wrote the report chose them.
@Suite struct ExtremeNumbersTests {
  private static let extremes = ["9223372036854775807", "-9223372036854775808", "1e300"]
  private static let stack = #"[{"kind":"returnAddress","address":"0x10010","description":"f()"}]"#

  /// A report with a number wherever the format has one that full.json has not.
  private static let rare = #"""
    {"schema":"crashkit/1","kind":"lockOrderInversion","timestamp":"2026-11-21T08:24:35Z","omittedTasks":2,
    "threads":[{"id":12,"violating":true,"frames":\#(stack),"task":{"id":3,"parent":{"id":4}},
    "heldLocks":[{"address":"0x1000","type":"mutex","depth":2,"frames":\#(stack)}]}],"omittedThreads":3,
    "ending":{"classification":"hang","signal":9,"exitStatus":1},
    "violation":{"severity":"error","code":"cycle","message":"m","thread":12,"stacks":[],
    "locks":[{"address":"0x1000","type":"mutex","origin":\#(stack)},{"address":"0x2000","type":"queue","origin":[]}],
    "edges":[{"from":0,"to":1,"thread":{"id":11},"held":[1],"fromFrames":\#(stack),"toFrames":\#(stack)},
    {"from":1,"to":0,"thread":{"id":12},"held":[],"fromFrames":\#(stack),"toFrames":\#(stack)}]},
    "hang":{"queue":"main","thread":12,"threshold":0.2,"duration":1.5,"ended":true,"recovered":true,"omittedSamples":2,
    "observedFor":0.1,"threads":[{"id":12,"processorTime":0.1}],
    "samples":[{"after":0.2,"frames":\#(stack)},{"after":0.3,"frames":\#(stack)}]},
    "tasks":[{"id":1,"state":"suspended","priority":21,"awaits":{"kind":"task","id":2},"unmovedFor":1.5,"alike":2,
    "frames":\#(stack)},{"id":2,"parent":1,"state":"running","thread":12,"priority":21},
    {"id":5,"state":"suspended","priority":21,"framesOf":1}],
    "metrics":[{"name":"cpu.load","value":0.5,"unit":"ratio","threshold":0.8}],
    "capture":{"tasks":{"foundBy":"memorySearch","count":3,"searchedBytes":4096,"time":0.01}}}
    """#

  private static func full() throws -> String {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    return try String(contentsOf: folder.appending(path: "Fixtures/full.json"), encoding: .utf8)
  }

  /// Nothing that is shown, left out or written may be counted past the end of a range: that ends the command. In the
  /// full set, also each number of full.json.
  @Test(arguments: tests_are_full() ? [rare, nil] : [rare])
  func everyNumberMayBeExtreme(_ given: String?) throws {
    let text = try given ?? Self.full()
    let numbers = text.matches(of: /[:\[,]\s*(-?[0-9.]+)/)
    try #require(numbers.count > 30)
    for number in numbers {
      for extreme in Self.extremes { try show(text.replacingCharacters(in: number.output.1.range, with: extreme)) }
    }
  }

  @Test(arguments: [rare, nil]) func everyAddressMayBeExtreme(_ given: String?) throws {
    let text = try given ?? Self.full()
    for address in ["0x0", "0xffffffffffffffff", "0x7fffffffffffffff", "0x8000000000000000"] {
      try show(text.replacing(/0x[0-9a-f]+/, with: address))
    }
  }

  private func show(_ text: String) throws {
    let report = try #require(try ReportReader.read([UInt8](text.utf8)).first)
    let context = ReportContext(options: .init(), version: "1")
    for shown in [report, report.scrubbed()] {
      let verified = VerifiedReport(report: shown)
      for renderer in VerifiedReport.renderers {
        switch renderer.form {
        case .each(let write): _ = write(verified, context)
        case .all(let write): _ = write([verified], context)
        case .file(let write): _ = write([verified], context)
        }
      }
    }
  }
}

extension Substring {
  fileprivate var range: Range<String.Index> { startIndex..<endIndex }
}
