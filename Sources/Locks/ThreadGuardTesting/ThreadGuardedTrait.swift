// There is no Testing where the standard library is linked statically.
#if canImport(Testing)
  import Testing
  import ThreadGuard

  /// Fails a test that breaks a threading rule: see `.threadGuarded`.
  public struct ThreadGuardedTrait: TestTrait, SuiteTrait, TestScoping {
    /// On a suite, the trait is that of each test in it.
    public var isRecursive: Bool { true }

    /// Runs the test, and makes each of ThreadGuard's findings meanwhile an issue of it.
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
    /// Fails a test that breaks a threading rule, at the line that states the rule; where none does, as with locks taken in
    /// different orders, at the test's own. Notes fail no test. Tests may run in parallel.
    ///
    /// A violation is the test's if it is found in the test's task or a child of it, in work that one of those, or such
    /// work, enqueued through Dispatch, or as a NaN on such a thread. What is found elsewhere, as on a thread that the test
    /// made or in a detached task, cannot be told to be anybody's: it fails the test that is guarded if there is one
    /// only at that time, and otherwise the run, without naming a test. So does what comes after the test has ended.
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
