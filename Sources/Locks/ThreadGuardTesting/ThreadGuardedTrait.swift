// There is no Testing where the standard library is linked statically.
#if canImport(Testing)
  import Testing
  import ThreadGuard

  /// Fails a test that breaks a threading rule: see `.threadGuarded`.
  public struct ThreadGuardedTrait: TestTrait, SuiteTrait, TestScoping {
    /// On a suite, the trait applies to each test in it.
    public var isRecursive: Bool { true }

    /// Runs the test, and records each finding of ThreadGuard during that time as an issue of the test.
    public func provideScope(
      for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
      guard testCase != nil else { return try await function() }
      let account = Accounts.open(test.name)
      defer {
        for violation in Accounts.close(account) { record(violation, of: test) }
      }
      try await Accounts.$current.withValue(account) { try await function() }
    }

    private func record(_ violation: ThreadGuard.Violation, of test: Test) {
      Issue.record(Comment(rawValue: Accounts.text(of: violation)), sourceLocation: violation.location(in: test))
    }
  }

  extension Trait where Self == ThreadGuardedTrait {
    /// Fails a test that breaks a threading rule. The failure names the source line that states the rule, such as a
    /// call of `assertOn`. If no line states the rule, the failure names the line of the test. For example, no line
    /// states the rule that all threads take locks in the same order. A violation of severity `note` fails no test.
    /// Tests may run in parallel.
    ///
    /// A violation or a NaN belongs to a test if it happens in the test's task, in a child task, or in work that these
    /// tasks enqueue through Dispatch. If it happens in other code, such as a thread that the test made or a detached
    /// task, ThreadGuard does not know the test. If only one guarded test runs at that moment, the violation fails this
    /// test. Otherwise the violation fails the whole run and names no test.
    public static var threadGuarded: Self { Self() }
  }

  extension ThreadGuard.Violation {
    fileprivate func location(in test: Test) -> SourceLocation {
      guard !file.isEmpty, line > 0 else { return test.sourceLocation }
      // Only the file's module and name are known; of the test's own file, the path too.
      let path = file == test.sourceLocation.fileID ? test.sourceLocation.filePath : file
      return SourceLocation(fileID: file, filePath: path, line: line, column: 1)
    }
  }
#endif
