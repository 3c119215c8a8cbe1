import CrashReportModel

/// The test that a context names by its keys, which the contexts within it have too.
enum TestContext {
  static func test(of context: CrashReport.Context?) -> CrashReport.Test? {
    guard let attributes = context?.attributes else { return nil }
    func text(_ key: String) -> String? { attributes["test.\(key)"].flatMap(String.init(json:)) }
    guard let name = text("name"), let framework = text("framework").flatMap(CrashReport.Test.Framework.init) else {
      return nil
    }
    var test = CrashReport.Test()
    test.framework = framework
    test.module = text("module")
    test.suite = text("suite")
    test.name = name
    test.arguments = text("arguments")
    test.foundBy = .context
    return test
  }
}
