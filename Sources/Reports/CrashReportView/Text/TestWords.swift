import CrashReportModel

/// The test that a report is about, and the others that ran, in words.
struct TestWords {
  /// At most this many other tests are named.
  private static let namedTests = 8
  private static let longestName = 400

  let report: CrashReport

  /// `in test Orders/total(3)`
  var sentence: String? {
    report.test.map { $0.sentence.harmless(upTo: Self.longestName) } ?? exitTest.map { "in \($0)" }
  }

  /// `Orders/total(3)`
  var name: String? {
    guard let test = report.test else { return exitTest }
    let alone = test.foundBy == .alone ? " (no other test ran)" : ""
    return test.words.harmless(upTo: Self.longestName) + alone
  }

  private var exitTest: String? {
    report.isOfExitTest ? "an exit test; Swift Testing checks how the process ends" : nil
  }

  /// `Orders/refund() and Orders/list()`, after `other tests:`.
  var others: String? {
    guard let tests = report.otherTests, !tests.isEmpty else { return nil }
    var names = tests.prefix(Self.namedTests).map { $0.words.harmless(upTo: Self.longestName) }
    if tests.count > names.count { names.append("\(tests.count - names.count) more") }
    guard let last = names.popLast() else { return nil }
    return names.isEmpty ? last : "\(names.joined(separator: ", ")) and \(last)"
  }

  /// `2 other tests ran: Orders/refund() and Orders/list()`
  var othersSentence: String? {
    others.map { names in
      "\(counted(report.otherTests?.count ?? 0, report.test == nil ? "test" : "other test")) ran: \(names)"
    }
  }
}

extension CrashReport.Context {
  /// Whether the test opened it for itself, so that `test` names it.
  var isOfTest: Bool { attributes?["test.name"] != nil && name?.hasPrefix("test ") == true }
}
