import CrashReportModel
import Foundation

/// Files that the tests share.
enum Fixture {
  static let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

  /// A file under `Tests`.
  static func text(_ path: String) throws -> String {
    try String(contentsOf: tests.appending(path: path), encoding: .utf8)
  }

  /// A lock order of one edge, with one more stack.
  static let violation = #"""
    {"schema":"crashkit/1","timestamp":"2026-11-21T08:24:35Z","kind":"lockOrderInversion","description":"both ways",
    "platform":"Linux","architecture":"x86_64","process":{"pid":1,"name":"api"},"images":[],"omittedImages":0,
    "memory":{"resident":1,"peak":1,"virtual":1},"host":{"machine":"x86_64","kernel":"6","cores":2},"capture":{"version":"1"},
    "threads":[{"id":7,"name":"main","violating":true,"capturedBy":"caller","stackEnd":"as far as it was recorded",
    "frames":[{"kind":"programCounter","address":"0x0000000000001000"}]}],
    "violation":{"severity":"error","code":"cycle","message":"both ways","thread":7,
    "locks":[{"address":"0x0000000000001000","type":"mutex","name":"a",
    "origin":[{"kind":"programCounter","address":"0x0000000000001001"}]}],
    "edges":[{"from":0,"to":0,"fromMode":"exclusive","toMode":"shared","thread":{"id":7,"name":"main"},"held":[],
    "fromFrames":[{"kind":"programCounter","address":"0x0000000000001002"}],
    "toFrames":[{"kind":"programCounter","address":"0x0000000000001003"}]}],
    "stacks":[{"label":"here","thread":{"id":0},
    "frames":[{"kind":"programCounter","address":"0x0000000000001004"}]}]}}
    """#

  static func report(_ text: String) throws -> CrashReport {
    CrashReport(fields: try JSONParser.parse(Array(text.utf8)).object)
  }
}
