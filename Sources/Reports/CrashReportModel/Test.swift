extension CrashReport {
  /// A test that ran.
  public struct Test: ReportSection {
    public var fields: JSONObject
    public init(fields: JSONObject) { self.fields = fields }

    /// The library that ran it.
    public var framework: Framework? {
      get { self["framework"] }
      set { self["framework"] = newValue }
    }

    /// Its module.
    public var module: String? {
      get { self["module"] }
      set { self["module"] = newValue }
    }

    /// The names of the suites that contain the test, the outermost first, such as `Orders/Refunds`. Absent if the test
    /// is a function outside of suites.
    public var suite: String? {
      get { self["suite"] }
      set { self["suite"] = newValue }
    }

    /// Its function, such as `total(of:)` in Swift Testing or `testTotal` in XCTest. Absent if only the suite is known.
    public var name: String? {
      get { self["name"] }
      set { self["name"] = newValue }
    }

    /// Its readable name.
    public var displayName: String? {
      get { self["displayName"] }
      set { self["displayName"] = newValue }
    }

    /// The number of the test case, from 1; absent if the test has no arguments.
    public var testCase: Int? {
      get { self["case"] }
      set { self["case"] = newValue }
    }

    /// Its arguments.
    public var arguments: String? {
      get { self["arguments"] }
      set { self["arguments"] = newValue }
    }

    /// The place of the test's function in the source.
    public var location: SourceLocation? {
      get { self["location"] }
      set { self["location"] = newValue }
    }

    /// The evidence that connects the thread or the task with the test.
    public var foundBy: Evidence? {
      get { self["foundBy"] }
      set { self["foundBy"] = newValue }
    }

    /// A library for tests.
    public enum Framework: String, JSONRepresentable, Sendable, CaseIterable {
      case swiftTesting, xctest
    }

    /// The kinds of evidence that a thread or a task belongs to a test, the strongest first.
    public enum Evidence: String, JSONRepresentable, Sendable, CaseIterable {
      /// The context of the thread or the task.
      case context
      /// The thread's own stack, or the name of its task.
      case stack
      /// The stack or the name of the parent task, or of a task that waits for this task.
      case waitingTask
      /// The name of a closure in the test's function.
      case closure
      /// No other test ran at the time.
      case alone
    }
  }

  /// The test that crashed; only in symbolicated reports.
  public var test: Test? {
    get { self["test"] }
    set { self["test"] = newValue }
  }

  /// Other tests that ran, at most 64; only in symbolicated reports.
  public var otherTests: [Test]? {
    get { self["otherTests"] }
    set { self["otherTests"] = newValue }
  }
}

extension CrashReport.Test {
  /// The suite and the name, with the known arguments, such as `Orders/total(3)` or `OrderTests/testTotal`.
  public var words: String { (suite.map { "\($0)/" } ?? "") + caseName }

  /// The name of the test's function. If only the test's readable name is known, this is the readable name.
  public var functionName: String { name ?? displayName ?? "?" }

  /// The function with the arguments that are known: `total(3)`.
  private var caseName: String {
    let name = functionName
    guard let known = arguments ?? testCase.map({ "case \($0)" }) else { return name }
    let base = name.hasSuffix(")") ? name.utf8.lastIndex(of: UInt8(ascii: "(")).map { name[..<$0] } : nil
    return "\(base ?? name[...])(\(known))"
  }

  /// The test in words, such as `in test Orders/total(3)`, or `while test Orders/total(3) ran` if the only evidence is
  /// that no other test ran.
  public var sentence: String { foundBy == .alone ? "while test \(words) ran" : "in test \(words)" }

  /// The module and the suite, with a dot between them. The names of classes have this form in the JUnit files of Swift
  /// Testing and XCTest.
  public var className: String? {
    let parts = [module, suite].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: ".")
  }

  /// The values that are equal in two descriptions of the same test with the same arguments.
  package var identity: [String?] { [module, suite, name ?? displayName, testCase?.description, arguments] }
}
