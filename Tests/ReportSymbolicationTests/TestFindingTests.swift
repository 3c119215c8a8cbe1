import CrashReportModel
import TestEnvironment
import Testing

@testable import ReportSymbolication

@Suite struct TestFindingTests {
  /// A frame by its description; `!` marks the runtime's, a name behind `@` is its module.
  private static func frame(_ text: String) -> CrashReport.Frame {
    var frame = CrashReport.Frame()
    frame.kind = .returnAddress
    let parts = text.split(separator: "@", maxSplits: 1).map(String.init)
    frame.description = parts[0].replacing("!", with: "")
    if parts.count > 1 { frame.symbol = "$s\(parts[1].utf8.count)\(parts[1])1fyyF" }
    if text.hasPrefix("!") { frame.isSystem = true }
    if text.hasPrefix("XCTest") || text.contains("Expectation(") {
      frame.image = "libXCTest.so"
    } else if text.hasPrefix("static Runner") {
      frame.image = "libTesting.so"
    } else {
      frame.image = "shopPackageTests.xctest"
      frame.sourceLocation = CrashReport.SourceLocation()
      frame.sourceLocation?.file = "/src/Tests/\(parts[0].hashValue).swift"
      frame.sourceLocation?.line = 7
    }
    return frame
  }

  /// The frame that the macro makes for a test's function.
  private static func macro(_ function: String) -> String {
    "static Orders.$s4shop6OrdersV\(function.utf8.count)\(function)4TestfMp_16b0262ef1fMu_(_:)"
  }

  private static func thread(
    _ frames: [String], task: Int? = nil, parent: Int? = nil, crashed: Bool = true, name: String? = nil
  ) -> CrashReport.Thread {
    var thread = CrashReport.Thread()
    thread.id = crashed ? 7 : 8
    if crashed { thread.crashed = true }
    if let task {
      thread.task = CrashReport.Task()
      thread.task?.id = task
      thread.task?.name = name
      thread.task?.parent = parent.map { id in
        var task = CrashReport.Task()
        task.id = id
        return task
      }
    }
    thread.frames = frames.map(Self.frame)
    return thread
  }

  private static func task(
    _ id: Int, _ name: String? = nil, parent: Int? = nil, awaits: Int? = nil, _ frames: [String] = []
  ) -> CrashReport.LiveTask {
    var task = CrashReport.LiveTask()
    task.id = id
    task.name = name.map { "[Swift Testing] \($0)" }
    task.parent = parent
    if let awaits {
      task.awaits = CrashReport.LiveTask.Awaited()
      task.awaits?.id = awaits
    }
    task.frames = frames.map(Self.frame)
    return task
  }

  private static func found(
    _ threads: [CrashReport.Thread], _ tasks: [CrashReport.LiveTask] = [], context: [(String, String)] = []
  ) -> CrashReport {
    var report = CrashReport()
    report.kind = .crashReport
    report.process = CrashReport.Process()
    report.process?.name = "shopPackageTests.xctest"
    report.images = ["libXCTest.so", "libTesting.so"].map { name in
      var image = CrashReport.Image()
      image.name = name
      image.path = "/opt/swift/usr/lib/swift/linux/\(name)"
      return image
    }
    report.threads = threads
    report.tasks = tasks
    if !context.isEmpty {
      var context = CrashReport.Context(
        fields: JSONObject(members: [
          .init(
            key: "attributes",
            value: .object(JSONObject(members: context.map { .init(key: $0.0, value: .string($0.1)) })))
        ]))
      context.name = "test"
      report.threads?[0].context = context
    }
    TestFinding.fill(&report)
    return report
  }

  // MARK: Time

  /// Tasks in a chain; tasks that share a stack or an id; closures beside tests. Task by task these would take minutes.
  @Test func manyTasksTakeNoMinutes() {
    let count = 4000
    let name = { (number: Int) in "test t\(number)() - running" }
    let chain = (1...count).map { Self.task($0, name($0), parent: $0 - 1) }
    var sharing = (1...count).map { Self.task($0, name($0)) }
    sharing[0].frames = (1...count).map { Self.frame("step\($0)()@shop") }
    for index in 1..<count { sharing[index].framesOf = 1 }
    let same = (1...count).map { _ in Self.task(7, "test t() - running") }
    let long = Self.thread((1...count).map { "closure #1 in t\($0)()@shop" }, task: 7)
    for tasks in [chain, sharing, same] {
      let start = thread_time_ns()
      let report = Self.found([long], tasks)
      #expect(thread_time_ns() - start < 20_000_000_000)
      #expect(report.test != nil || report.otherTests != nil)
    }
  }

  // MARK: Swift Testing

  @Test func theFunctionThatTheMacroCallsIsTheTest() {
    let report = Self.found([Self.thread(["!trap", "die()", "Orders.Refunds.all(_:)@shop", Self.macro("all")])])
    let test = report.test
    #expect(test?.words == "Orders/Refunds/all(_:)" && test?.module == "shop" && test?.framework == .swiftTesting)
    #expect(test?.location?.line == 7 && test?.foundBy == .stack && report.otherTests == nil)
  }

  @Test func theNameOfTheTaskNamesTheCase() {
    let name = "[Swift Testing] test all(_:) - running test case #3"
    let report = Self.found([Self.thread(["Orders.all(_:)@shop", Self.macro("all")], task: 5, name: name)])
    #expect(report.test?.words == "Orders/all(case 3)" && report.test?.testCase == 3)
    let sentence = report.test?.sentence
    #expect(sentence == "in test Orders/all(case 3)")
  }

  private static let suites = [
    task(1, "test run"), task(2, "suite Orders - running", parent: 1), task(3, "test all()", parent: 2),
  ]

  /// In an optimised program the function of a stack may be another one's.
  @Test func aStackThatContradictsTheNamesIsNotTrusted() {
    let tasks = Self.suites + [Self.task(4, "test all() - running", parent: 3)]
    let name = "[Swift Testing] test all() - running"
    for other in ["Meeting.arrive()", "all()", "Orders.init()"] {
      let report = Self.found([Self.thread([other, Self.macro("all")], task: 4, name: name)], tasks)
      #expect(report.test?.words == "Orders/all()", "\(other)")
    }
    let named = Self.task(4, "test \"All of them\" - running", parent: 3)
    let report = Self.found([Self.thread(["free()", Self.macro("all")], task: 4)], Self.suites + [named])
    #expect(report.test?.words == "Orders/All of them")
  }

  /// A function that the linker merged with a test's runs in a task that is not named after the test.
  @Test func namesOfTasksComeBeforeStacks() {
    let tasks = Self.suites + [Self.task(4, "test all() - running", parent: 3), Self.task(5, parent: 4)]
    let report = Self.found([Self.thread(["free()", Self.macro("free")], task: 5)], tasks)
    #expect(report.test?.words == "Orders/all()" && report.test?.foundBy == .waitingTask)
    let cut = "[Swift Testing] test all(and"
    let long = Self.found([Self.thread(["Orders.all(and:)", Self.macro("all")], task: 6, name: cut)], tasks)
    #expect(long.test?.words == "Orders/all(and:)")
  }

  @Test(arguments: [
    // A child of a child.
    [task(9, parent: 8), task(8, parent: 4)],
    // A detached task that a child awaits.
    [task(9), task(8, parent: 4, awaits: 9)],
    // Tasks that wait for each other, and one that says it is its own parent.
    [task(9, parent: 9), task(8, parent: 4, awaits: 9), task(10, awaits: 8), task(11, parent: 10, awaits: 10)],
  ]) func theTasksAroundLeadToTheTest(_ tasks: [CrashReport.LiveTask]) {
    let all = Self.suites + [Self.task(4, "test all() - running", parent: 3, ["Orders.all()@shop", Self.macro("all")])]
    let other = Self.task(20, "test list() - running", parent: 3, ["Orders.list()@shop", Self.macro("list")])
    let report = Self.found([Self.thread(["die()"], task: 9)], all + [other] + tasks)
    #expect(report.test?.words == "Orders/all()" && report.test?.foundBy == .waitingTask)
    #expect(report.otherTests?.map(\.words) == ["Orders/list()"])
  }

  @Test func aClosureHasItsFunctionsName() {
    let tasks = ["all", "list"].enumerated().map { index, name in
      Self.task(4 + index, "test \(name)() - running", ["Orders.\(name)()@shop", Self.macro(name)])
    }
    let crash = Self.thread(["die()", "closure #1 in closure #2 in Orders.list()", "!start_thread"])
    let report = Self.found([crash], tasks)
    #expect(report.test?.words == "Orders/list()" && report.test?.foundBy == .closure)
    #expect(report.otherTests?.map(\.words) == ["Orders/all()"])
    // Nothing says which of two it is.
    let unknown = Self.found([Self.thread(["die()"])], tasks)
    #expect(unknown.test == nil && unknown.otherTests?.count == 2)
    let alone = Self.found([Self.thread(["die()"])], [tasks[0]])
    #expect(alone.test?.foundBy == .alone && alone.test?.sentence == "while test Orders/all() ran")
    #expect(alone.otherTests == nil)
  }

  @Test func othersAreBounded() {
    let tasks = (1...100).map { Self.task($0, "test all(_:) - running test case #\($0)") }
    #expect(Self.found([Self.thread(["die()"])], tasks).otherTests?.count == 64)
  }

  /// No recursion, and no loop in a circle.
  @Test func aChainOfTasksMayBeLong() {
    let chain = (1...20_000).map { Self.task($0, parent: $0 % 20_000 + 1) }
    #expect(Self.found([Self.thread(["die()"], task: 1)], chain).test == nil)
  }

  // MARK: XCTest

  private static let outer = ["XCTestCase.invokeTest()", "XCTestCase.perform(_:)", "XCTMain(_:)"]

  @Test(arguments: [
    (["die()", "OrderTests.testTotal()@shop"], "OrderTests/testTotal"),
    (["die()", "closure #1 in OrderTests.testTotal()@shop", "XCTAssertNoThrow()"], "OrderTests/testTotal"),
    (["OrderTests.test()", "OrderTests.testTotal()@shop"], "OrderTests/testTotal"),
    (["die()", "OrderTests.setUp()"], "OrderTests/setUp"),
    (
      ["die()", "!thunk", "implicit closure #2 in initial value of static OrderTests.__allTests__OrderTests"],
      "OrderTests/?"
    ),
  ]) func theMethodInsideOfInvokeTest(_ frames: [String], _ words: String) {
    let report = Self.found([Self.thread(frames + Self.outer)])
    #expect(report.test?.words == words && report.test?.framework == .xctest && report.test?.foundBy == .stack)
  }

  /// The main thread waits while a task runs the method.
  @Test func anAsyncMethodRunsInATask() {
    let main = Self.thread(["awaitUsingExpectation(_:)"] + Self.outer, crashed: false)
    let method = ["die()", "OrderTests.testTotal()@shop", "closure #1 in awaitUsingExpectation(_:)"]
    let report = Self.found([Self.thread(method, task: 2), main])
    #expect(report.test?.words == "OrderTests/testTotal" && report.otherTests == nil)
  }

  @Test func aQueuesBlockBelongsToTheMethodThatWaits() {
    let main = Self.thread(["XCTWaiter.wait(for:)", "OrderTests.testTotal()@shop"] + Self.outer, crashed: false)
    let report = Self.found([Self.thread(["die()", "closure #1 in OrderTests.testTotal()"]), main])
    #expect(report.test?.words == "OrderTests/testTotal" && report.test?.foundBy == .closure)
  }

  // MARK: Contexts

  @Test func aContextKnowsTheArguments() {
    let context = [
      ("test.framework", "swiftTesting"), ("test.suite", "Orders"), ("test.name", "all(_:)"),
      ("test.arguments", "3, a"),
    ]
    let byStack = Self.found([Self.thread(["Orders.all(_:)@shop", Self.macro("all")])], context: context)
    #expect(byStack.test?.words == "Orders/all(3, a)" && byStack.test?.foundBy == .stack)
    let alone = Self.found([Self.thread(["die()"])], context: context)
    #expect(alone.test?.words == "Orders/all(3, a)" && alone.test?.foundBy == .context)
  }

  @Test func scrubbingHidesTheArguments() {
    var report = Self.found([Self.thread(["Orders.all(_:)@shop", Self.macro("all")])])
    report.test?.arguments = "secret"
    report.otherTests = report.test.map { [$0] }
    let scrubbed = report.scrubbed()
    #expect(scrubbed.test?.words == "Orders/all([scrubbed])" && scrubbed.otherTests?.first?.module == "shop")
  }

  @Test func otherProgramsRunNoTests() {
    var report = CrashReport()
    report.process = CrashReport.Process()
    report.process?.name = "api"
    report.threads = [Self.thread(["Orders.all(_:)@shop", Self.macro("all")])]
    TestFinding.fill(&report)
    #expect(report.test == nil)
  }

  @Test(arguments: [
    "[Swift Testing] test run", "[Swift Testing] test all(", "test all()", "", "[Swift Testing] ",
    "[Swift Testing] test \"",
    "[Swift Testing] test all() - evaluating traits", "[Swift Testing] test all() - running test case #x",
  ]) func otherNamesOfTasks(_ name: String) { #expect(TestTaskName(name) == nil) }
}
