// There is no Testing where the standard library is linked statically.
#if canImport(Testing)
  import CThreadGuard
  import Synchronization
  import Testing
  import ThreadGuard

  /// Which violations belong to which guarded test.
  enum Accounts {
    /// The number of the test to which the current task belongs; 0 if it belongs to no test.
    @TaskLocal static var current: UInt64 = 0

    private struct Account {
      var test: String
      var violations: [ThreadGuard.Violation] = []
    }

    private struct State {
      var last: UInt64 = 0
      var open: [UInt64: Account] = [:]
    }

    private static let state = Mutex(State())

    static func open(_ test: String) -> UInt64 {
      _ = observing
      return state.withLock { state in
        state.last += 1
        state.open[state.last] = Account(test: test)
        return state.last
      }
    }

    /// Closes the account of a test, and returns its violations.
    static func close(_ account: UInt64) -> [ThreadGuard.Violation] {
      // What was found inside interposed functions may not have been handed over yet.
      ThreadGuard.deliverViolations()
      return state.withLock { $0.open.removeValue(forKey: account)?.violations ?? [] }
    }

    static func text(of violation: ThreadGuard.Violation) -> String { "ThreadGuard: \(violation.message)" }

    private static let observing: Void = {
      #if THREADGUARD
        ctg_set_account_source { Accounts.current }
      #endif
      ThreadGuard.observeViolations { take($0) }
    }()

    private static func take(_ violation: ThreadGuard.Violation) {
      if violation.severity == .note { return }
      let isTaken = state.withLock { state in
        let account = violation.account == 0 && state.open.count == 1 ? state.open.keys.first! : violation.account
        return state.open[account]?.violations.append(violation) != nil
      }
      if isTaken { return }
      let isAnyones = state.withLock { $0.last > 0 }
      if isAnyones { recordForTheRun(violation) }
    }

    /// Records an issue outside of every test's task, so that it belongs to no test.
    private static func recordForTheRun(_ violation: ThreadGuard.Violation) {
      let location = SourceLocation(
        fileID: violation.file.isEmpty ? "ThreadGuard/Violation.swift" : violation.file,
        filePath: violation.file.isEmpty ? "ThreadGuard/Violation.swift" : violation.file, line: max(violation.line, 1),
        column: 1)
      Task.detached {
        Issue.record(Comment(rawValue: "\(text(of: violation)) (the test is not known)"), sourceLocation: location)
      }
    }
  }
#endif
