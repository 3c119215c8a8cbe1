#if CrashKitTesting
  import CrashKit
  import Synchronization
  import Testing
  import XCTest

  /// Shows the names and the arguments of tests in CrashKit's reports.
  public enum CrashKitTesting {
    private static let observes = Mutex(false)

    /// Opens a context around each XCTest test that starts after this call. So a report names the test that crashed.
    ///
    /// The context belongs to the main thread, so an `async` test does not have it. Only the first call has an effect.
    public static func observeXCTest() {
      let isFirst = observes.withLock { observes in
        defer { observes = true }
        return !observes
      }
      if isFirst { XCTestObservationCenter.shared.addTestObserver(Observer()) }
    }

    /// Opens a context around each test: see `.crashContext`.
    public struct ContextTrait: TestTrait, SuiteTrait, TestScoping {
      /// On a suite, the trait applies to each test in it.
      public var isRecursive: Bool { true }

      /// Runs the test in a context with its name and arguments.
      public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
      ) async throws {
        guard let testCase else { return try await function() }
        let suite = test.id.nameComponents.dropLast().joined(separator: "/")
        let context = TestContext(
          framework: "swiftTesting", module: test.id.moduleName, suite: suite, name: test.name,
          arguments: ArgumentValues.text(of: testCase))
        try await CrashKit.withContext(context.title, context.attributes) { try await function() }
      }
    }
  }

  extension Trait where Self == CrashKitTesting.ContextTrait {
    /// With this trait, a report of CrashKit names the test that crashed, with its arguments, and the tests that ran at
    /// the same time.
    ///
    /// ```swift
    /// @Suite(.crashContext) struct Orders { … }
    /// ```
    ///
    /// Each test of a suite, and of suites in it, runs in a context. Child tasks and `Task { }` inherit the context,
    /// but `Task.detached` does not.
    public static var crashContext: Self { Self() }
  }

  /// The data about a test in a context. `crashsym` reads these keys.
  struct TestContext {
    var framework: String
    var module: String
    var suite: String
    var name: String
    var arguments: String?

    /// `crashsym` leaves out a context with this beginning if it shows the test.
    var title: String { "test " + (suite.isEmpty ? name : "\(suite)/\(name)") }

    var attributes: [String: String] {
      var attributes = ["test.framework": framework, "test.module": module, "test.name": name]
      if !suite.isEmpty { attributes["test.suite"] = suite }
      if let arguments { attributes["test.arguments"] = arguments }
      return attributes
    }
  }

  /// Opens a context as a test begins, on the thread that runs it, and closes it as the test ends.
  private final class Observer: NSObject, XCTestObservation {
    private var context: ThreadContext?

    func testCaseWillStart(_ testCase: XCTestCase) {
      let type = String(reflecting: Swift.type(of: testCase)).split(separator: ".", maxSplits: 1).map(String.init)
      let name = testCase.name.split(separator: ".").last.map(String.init) ?? testCase.name
      let test = TestContext(
        framework: "xctest", module: type[0], suite: type.last ?? "", name: name, arguments: nil)
      context = ThreadContext(test.title, test.attributes)
    }

    func testCaseDidFinish(_ testCase: XCTestCase) {
      context?.leave()
      context = nil
    }
  }
#endif
