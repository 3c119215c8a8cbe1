import CrashReportModel

/// Finds the test that a report is about, and the others that ran: by the stacks of threads and tasks, by the names of
/// tasks, and by contexts that name a test.
struct TestFinding {
  /// At most this many other tests are listed.
  private static let mostOthers = 64
  /// Each suite adds a few tasks around a test's. What has more around it is no test.
  private static let mostAncestors = 200
  /// What the names of images begin with that run tests.
  private static let libraries = ["libXCTest.", "libTesting."]

  /// Something that may run a test: a thread, a task, or a task with its thread.
  private struct Run {
    var thread: CrashReport.Thread?
    var task: CrashReport.LiveTask?
  }

  private let report: CrashReport
  private let stacks: TestStack
  private let tasks: [Int: CrashReport.LiveTask]
  /// The names of tasks that are suites.
  private let suites: [Int: TestTaskName]
  /// The tests in the stacks that stand for several tasks, by the id of the one that has the stack.
  private let testOfExample: [Int: CrashReport.Test]
  /// The tasks that wait for a task, by its id.
  private let waiting: [Int: [Int]]
  private let threadOfTask: [Int: CrashReport.Thread]
  /// Whether tasks have the names of their tests.
  private let hasTaskNames: Bool

  /// - Returns: `nil` if the process ran no tests.
  init?(_ report: CrashReport) {
    guard Self.mayRunTests(report) else { return nil }
    self.report = report
    stacks = TestStack(report)
    let tasks = report.tasks ?? []
    let tasksByID = Dictionary(tasks.compactMap { task in task.id.map { ($0, task) } }) { first, _ in first }
    self.tasks = tasksByID
    suites = tasksByID.compactMapValues { $0.name.flatMap(TestTaskName.init) }.filter(\.value.isSuite)
    let stacks = stacks
    testOfExample = Dictionary(
      uniqueKeysWithValues: Set(tasks.compactMap(\.framesOf)).compactMap { id in
        stacks.test(in: tasksByID[id]?.frames ?? []).map { (id, $0) }
      })
    waiting = Dictionary(
      grouping: tasks.filter { $0.awaits?.id != nil && $0.id != nil }, by: { $0.awaits?.id ?? 0 }
    ).mapValues { $0.compactMap(\.id) }
    let names = tasks.compactMap(\.name) + (report.threads ?? []).compactMap { $0.task?.name }
    hasTaskNames = names.contains { TestTaskName($0)?.runs == true }
    threadOfTask = Dictionary(
      (report.threads ?? []).compactMap { thread in thread.task?.id.map { ($0, thread) } }
    ) { first, _ in first }
  }

  /// Whether it is worth a look.
  static func mayRunTests(_ report: CrashReport) -> Bool {
    if report.process?.name?.hasSuffix(".xctest") == true || TestContext.test(of: report.context) != nil { return true }
    return (report.images ?? []).contains { image in
      let name = image.name ?? ""
      return name.hasSuffix(".xctest") || libraries.contains(where: name.hasPrefix)
    }
  }

  /// Adds `test` and `otherTests` to a symbolicated report.
  static func fill(_ report: inout CrashReport) {
    guard let finding = TestFinding(report) else { return }
    let running = finding.running
    let found = finding.found(among: running)
    report.test = found
    let others = running.filter { other in found.map { !$0.isSame(as: other) } ?? true }.prefix(mostOthers)
    report.otherTests = others.isEmpty ? nil : Array(others)
  }

  // MARK: One thread or task

  private func testInStack(of run: Run) -> CrashReport.Test? {
    guard let frames = run.thread?.frames ?? run.task?.frames else {
      return run.task?.framesOf.flatMap { testOfExample[$0] }
    }
    return stacks.test(in: frames)
  }

  /// The test that a thread or a task runs itself.
  private func test(of run: Run) -> CrashReport.Test? {
    var test = testInStack(of: run)
    test?.foundBy = .stack
    let name = run.task?.name ?? run.thread?.task?.name
    if let taskName = name.flatMap(TestTaskName.init), taskName.runs {
      test = named(taskName, run, test)
    } else if hasTaskNames, test?.framework == .swiftTesting, name.map(TestTaskName.isOne) != true {
      // A function that the linker merged with a test's: the test itself would run in a task with its name.
      test = nil
    }
    guard let context = TestContext.test(of: run.thread?.context ?? run.task?.context) else { return test }
    return test.map { $0.completed(by: context) } ?? context
  }

  /// The stack knows the module, the suite's types and the place, the task's name which case it is.
  private func named(_ name: TestTaskName, _ run: Run, _ byStack: CrashReport.Test?) -> CrashReport.Test {
    let suites = suites(around: run.task?.id ?? run.thread?.task?.id)
    let isTrusted = byStack.map { agrees($0, name, suites) } ?? false
    var test = isTrusted ? byStack ?? CrashReport.Test() : CrashReport.Test()
    test.framework = .swiftTesting
    test.displayName = name.displayName
    test.testCase = name.testCase
    if let function = name.name { test.name = function }
    if !isTrusted, let suites, !suites.isEmpty {
      test.suite = suites.compactMap { $0.name ?? $0.displayName }.joined(separator: "/")
    }
    test.foundBy = .stack
    return test
  }

  /// Whether the function that a stack shows may be the one that a task's name means. In an optimised program it may be
  /// another one: the linker merges equal functions, and a test's function may be inlined into the macro's.
  private func agrees(_ byStack: CrashReport.Test, _ name: TestTaskName, _ suites: [TestTaskName]?) -> Bool {
    if let function = name.name, let found = byStack.name, function != found { return false }
    guard let suites else { return true }
    let types = byStack.suite?.split(separator: "/").map(String.init) ?? []
    return types.count == suites.count && zip(types, suites).allSatisfy { $1.name == nil || $1.name == $0 }
  }

  /// The suites that a task's ancestors run, the outermost first; `nil` if not all of these are listed, or if there are
  /// too many.
  private func suites(around id: Int?) -> [TestTaskName]? {
    var names: [TestTaskName] = []
    var seen: Set<Int> = []
    var next = id
    while let id = next, seen.insert(id).inserted {
      guard seen.count <= Self.mostAncestors, let task = tasks[id] else { return nil }
      if let name = suites[id] { names.append(name) }
      next = task.parent
    }
    // A test's task is always a child.
    return seen.count > 1 ? names.reversed() : nil
  }

  // MARK: All

  /// The tests that ran, each once.
  private var running: [CrashReport.Test] {
    var listed: Set<Int> = []
    let tasks = (report.tasks ?? []).filter { task in task.id.map { listed.insert($0).inserted } ?? true }
    var runs = tasks.map { task in Run(thread: task.id.flatMap { threadOfTask[$0] }, task: task) }
    runs += (report.threads ?? []).filter { thread in thread.task?.id.map { self.tasks[$0] == nil } ?? true }.map {
      Run(thread: $0)
    }
    var seen: Set<[String?]> = []
    return runs.compactMap(test(of:)).filter { $0.foundBy == .stack && seen.insert($0.identity).inserted }
  }

  // MARK: The test that the report is about

  private func found(among running: [CrashReport.Test]) -> CrashReport.Test? {
    let thread = report.kind == .stuckTask ? nil : report.aboutThread
    let task = report.kind == .stuckTask ? report.aboutTask : thread?.task?.id.flatMap { tasks[$0] }
    if let test = test(of: Run(thread: thread, task: task)) { return richest(test, among: running) }
    if var test = waitingTest(for: task?.id ?? thread?.task?.id, parent: thread?.task?.parent?.id) {
      test.foundBy = .waitingTask
      return test
    }
    if var test = owner(ofClosuresIn: thread?.frames ?? task?.frames ?? [], among: running) {
      test.foundBy = .closure
      return test
    }
    guard running.count == 1 else { return nil }
    var test = running[0]
    test.foundBy = .alone
    return test
  }

  /// A context alone does not say where the test's function is.
  private func richest(_ test: CrashReport.Test, among running: [CrashReport.Test]) -> CrashReport.Test {
    guard test.foundBy == .context, var other = running.first(where: test.isSame) else { return test }
    other.foundBy = .context
    return other
  }

  /// The test of the nearest task that a task is a child of, or that waits for it.
  private func waitingTest(for id: Int?, parent: Int?) -> CrashReport.Test? {
    var seen: Set<Int> = []
    if let id { seen.insert(id) }
    var next = [parent, id.flatMap { tasks[$0]?.parent }].compactMap(\.self) + (id.flatMap { waiting[$0] } ?? [])
    while !next.isEmpty {
      var further: [Int] = []
      for id in next where seen.insert(id).inserted {
        if let test = test(of: Run(thread: threadOfTask[id], task: tasks[id])) { return test }
        further += [tasks[id]?.parent].compactMap(\.self) + (waiting[id] ?? [])
      }
      next = further
    }
    return nil
  }

  /// A closure that a test gave to a queue, a thread or a task is named after the test's function.
  private func owner(
    ofClosuresIn frames: [CrashReport.Frame], among running: [CrashReport.Test]
  ) -> CrashReport.Test? {
    var tests: [[String?]: [CrashReport.Test]] = [:]
    for test in running {
      guard let name = test.name else { continue }
      for spelled in [name, "\(name)()"] { tests[[test.suite, spelled], default: []].append(test) }
    }
    let closures = frames.lazy.compactMap(FunctionPath.init).filter(\.isClosure)
    let owners = closures.map { closure in tests[[closure.suite, closure.name]] ?? [] }
    // Several cases of one test have one function.
    return owners.first { $0.count == 1 }?.first
  }
}

extension FunctionPath {
  /// The suite that its types would be.
  fileprivate var suite: String? { types.isEmpty ? nil : types.joined(separator: "/") }
}

extension CrashReport.Test {
  /// Whether this may be another one's description, as far as both know.
  fileprivate func isSame(as other: Self) -> Bool {
    func agree<Value: Equatable>(_ first: Value?, _ second: Value?) -> Bool {
      first == nil || second == nil || first == second
    }
    return suite == other.suite && agree(name, other.name) && agree(module, other.module)
      && agree(displayName, other.displayName) && agree(testCase, other.testCase) && agree(arguments, other.arguments)
  }

  /// The same with what only a context knows.
  fileprivate func completed(by context: Self) -> Self {
    var test = self
    test.arguments = context.arguments
    if test.module == nil { test.module = context.module }
    return test
  }
}
