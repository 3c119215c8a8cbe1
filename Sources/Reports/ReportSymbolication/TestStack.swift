import CrashReportModel

/// Finds the test that a stack runs by the frames between the function that the library calls and the test's own.
struct TestStack {
  /// In the names of functions that the macro `@Test` makes: they call the test's function.
  private static let macro = "4TestfMp_"
  private static let preparations = ["setUp", "tearDown"]
  private static let classMark = "__allTests__"

  private let origins: FrameOrigins

  init(_ report: CrashReport) { origins = FrameOrigins(report) }

  /// The test of a stack, innermost frame first.
  func test(in frames: [CrashReport.Frame]) -> CrashReport.Test? { swiftTesting(frames) ?? xctest(frames) }

  /// The test's function is the one that the macro's function calls.
  private func swiftTesting(_ frames: [CrashReport.Frame]) -> CrashReport.Test? {
    let macro = frames.firstIndex { $0.isSystem != true && $0.plainName?.contains(Self.macro) == true }
    guard let macro, let frame = frames[..<macro].last(where: origins.isOwn), let path = FunctionPath(frame) else {
      return nil
    }
    var test = self.test(.swiftTesting, path, frame)
    // The suite's initialiser runs before the function.
    if path.name.hasPrefix("init(") { test.name = nil }
    return test
  }

  private func xctest(_ frames: [CrashReport.Frame]) -> CrashReport.Test? {
    let start = frames.lastIndex { frame in
      frame.plainName.map { $0.hasPrefix("XCTestCase.invokeTest()") || $0.contains("awaitUsingExpectation(") } == true
    }
    guard let start else { return nil }
    let inside = frames[..<start].reversed()
    // An optimised program inlines a method into what SwiftPM made: not only the program's own frames count.
    let methods = inside.lazy.compactMap { frame in
      FunctionPath(frame).flatMap { path in path.types.isEmpty ? nil : (path: path, frame: frame) }
    }
    let method =
      methods.first { $0.path.name.hasPrefix("test") }
      ?? methods.first { method in Self.preparations.contains { method.path.name.hasPrefix($0) } }
    if let method { return test(.xctest, method.path, method.frame) }
    let marked = inside.lazy.compactMap(\.plainName).first { $0.contains(Self.classMark) }
    guard let marked, let mark = marked.ranges(of: Self.classMark).last else { return nil }
    var test = CrashReport.Test()
    test.framework = .xctest
    test.suite = String(marked[mark.upperBound...].prefix { $0.isLetter || $0.isNumber || $0 == "_" })
    return test
  }

  private func test(
    _ framework: CrashReport.Test.Framework, _ path: FunctionPath, _ frame: CrashReport.Frame
  ) -> CrashReport.Test {
    var test = CrashReport.Test()
    test.framework = framework
    test.module = frame.module
    test.suite = path.types.isEmpty ? nil : path.types.joined(separator: "/")
    // XCTest names its tests without parentheses.
    test.name = framework == .xctest && path.name.hasSuffix("()") ? String(path.name.dropLast(2)) : path.name
    if let location = frame.sourceLocation, location.line ?? 0 > 0, origins.isOwn(frame) { test.location = location }
    return test
  }
}
