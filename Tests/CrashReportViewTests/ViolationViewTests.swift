import CrashReportModel
import Foundation
import TestEnvironment
import Testing

@testable import CrashReportView

/// Violations as people and tools are shown them.
@Suite struct ViolationViewTests {
  private static func frame(
    _ name: String, _ line: Int, symbol: String? = nil, file: String = "/srv/App/a:b.swift"
  ) -> String {
    #"{"kind":"returnAddress","address":"0x0000000000010010","symbol":"\#(symbol ?? name)","description":"\#(name)","#
      + #""image":"api","sourceLocation":{"file":"\#(file)","line":\#(line),"column":3}}"#
  }

  private static let system =
    #"{"kind":"returnAddress","address":"0x0000000000020010","description":"start_thread","image":"libc.so.6","system":true}"#

  private static func report(_ kind: String, _ violation: String) throws -> CrashReport {
    let text = #"""
      {"schema":"crashkit/1","kind":"\#(kind)","description":"said","timestamp":"2026-11-21T08:24:35Z",
      "application":{"name":"api"},"threads":[{"id":12,"name":"writer","violating":true,"frames":[]}],
      "violation":\#(violation)}
      """#
    return CrashReport(fields: try JSONParser.parse(Array(text.utf8)).object)
  }

  private static func cycle(_ kind: String, message: String = "taken both ways") throws -> CrashReport {
    func edge(_ from: Int, _ to: Int, _ thread: Int, _ held: String = "") -> String {
      let guarded = frame("GuardedLock.lock()", 5, symbol: "$s11ThreadGuard11GuardedLockC4lockyyF")
      return #"{"from":\#(from),"to":\#(to),"fromMode":"exclusive","toMode":"\#(to == 1 ? "shared" : "exclusive")","#
        + #""thread":{"id":\#(thread),"name":"t\#(thread)"},"held":[\#(held)],"#
        + #""fromFrames":[\#(frame("outer\(from)()", 20 + from)),\#(system)],"#
        + #""toFrames":[\#(guarded),\#(frame("inner\(to)()", 10 + to)),\#(system)]}"#
    }
    return try report(
      kind,
      #"""
      {"severity":"error","code":"cycle","message":"\#(message)","thread":12,"stacks":[],
      "locks":[{"address":"0x0000000000001000","type":"mutex","name":"a \"quoted\" \\name","origin":[]},
      {"address":"0x0000000000002000","type":"rwlock","origin":[\#(frame("setUp()", 3))]},
      {"address":"0x0000000000003000","type":"queue","name":"gate","origin":[]}],
      "edges":[\#(edge(0, 1, 11)),\#(edge(1, 2, 12, "2")),\#(edge(2, 0, 12, "1"))]}
      """#)
  }

  private static func text(_ report: CrashReport) -> String {
    let sources = SourceFolders(workingDirectory: .at("/srv"))
    return TextReport(options: .init(sources: sources, showsSource: false)).text(of: report)
  }

  @Test func aLockOrderIsDrawnAndExplained() throws {
    let text = Self.text(try Self.cycle("lockOrderInversion"))
    #expect(text.hasPrefix("api took locks in opposite orders in thread 12 \"writer\": said\n"))
    #expect(text.contains("error lockOrderInversion/cycle\n\nLocks: A → B → C → A\n"))
    #expect(text.contains("   A  mutex \"a \"quoted\" \\name\" at 0x0000000000001000\n"))
    #expect(text.contains("   B  rwlock at 0x0000000000002000  seen first in setUp(), App/a:b.swift:3:3\n"))
    let edge = """
      A → B: thread 11 "t11" took B for reading while it held A

         took B here:
       > 0  inner1()      App/a:b.swift:11:3
         1  start_thread  libc.so.6
         took A here:
       > 0  outer0()      App/a:b.swift:20:3
         1  start_thread  libc.so.6

      """
    #expect(text.contains(edge))
    #expect(text.contains("\nC → A: thread 12 \"t12\" took A while it held C, with B held as well\n"))
    // What else is held is told once: a lock of the edge is no other one.
    #expect(text.contains("\nB → C: thread 12 \"t12\" took C while it held B\n"))
    #expect(!text.contains("GuardedLock"))
  }

  /// A cycle of so many locks.
  private static func ring(_ count: Int) throws -> CrashReport {
    let locks = (0..<count).map { #"{"address":"0x\#(String($0 + 1, radix: 16))","type":"mutex","origin":[]}"# }
    let edges = (0..<count).map { #"{"from":\#($0),"to":\#(($0 + 1) % count),"thread":{"id":7},"toFrames":[]}"# }
    let stacks = (0..<count).map { #"{"label":"stack \#($0)","frames":[]}"# }
    return try report(
      "deadlock",
      #"""
      {"severity":"error","code":"cycle","message":"m","thread":12,"locks":[\#(locks.joined(separator: ","))],
      "edges":[\#(edges.joined(separator: ","))],"stacks":[\#(stacks.joined(separator: ","))]}
      """#)
  }

  @Test func `parts of a violation beyond 100 are counted and not shown`() throws {
    let text = Self.text(try Self.ring(301))
    #expect(text.contains("... 201 more locks not shown; --format json has all\n"))
    #expect(text.contains("... 201 more orders of locks not shown; --format json has all\n"))
    #expect(text.contains("... 201 more stacks not shown; --format json has all\n"))
    #expect(text.contains("\nL100 → L101: thread 7 waits for L101"))
    #expect(!text.contains("\nL101 → L102: "))
    #expect(text.contains(" → L101 → …\n"))
    #expect(!Self.text(try Self.ring(100)).contains("not shown"))
    #expect(Self.text(try Self.ring(101)).contains("... 1 more lock not shown; "))
  }

  private static func time(_ work: () -> Void) -> UInt64 {
    let start = thread_time_ns()
    work()
    return thread_time_ns() - start
  }

  @Test func `the time for a cycle grows with its length`() throws {
    let (few, many) = (try Self.ring(400), try Self.ring(3200))
    let short = Self.time { _ = Finding(few, SourceFolders()) }
    let long = Self.time { _ = Finding(many, SourceFolders()) }
    // 8 times the locks: 64 times the time if each edge reads all locks.
    #expect(long < 24 * short, "\(long) ns after \(short) ns")
  }

  @Test func aDeadlockIsShownAsHappening() throws {
    let text = Self.text(try Self.cycle("deadlock"))
    #expect(text.hasPrefix("api deadlocked in thread 12"))
    #expect(
      text.contains("A → B: thread 11 \"t11\" waits for B for reading while it holds A\n\n   waits for B here:\n"))
  }

  @Test func aGroupMayHaveAWorkerOrNone() throws {
    func deadlock(_ code: String, heldFrames: String) throws -> String {
      let edge = #""thread":{"id":7,"name":"t7"},"fromMode":"exclusive","toMode":"exclusive","held":[],"toFrames":[],"#
      return Self.text(
        try Self.report(
          "deadlock",
          #"""
          {"severity":"error","code":"\#(code)","message":"stuck","thread":12,"stacks":[],
          "locks":[{"address":"0x0000000000001000","type":"mutex","origin":[]},
          {"address":"0x0000000000002000","type":"group","origin":[]}],
          "edges":[{"from":0,"to":1,\#(edge)"fromFrames":[]},{"from":1,"to":0,\#(edge)"fromFrames":[\#(heldFrames)]}]}
          """#))
    }
    let worked = try deadlock("deadlock", heldFrames: Self.frame("handOver()", 31))
    #expect(worked.contains("\nB → A: thread 7 \"t7\" waits for A while it worked for B\n"))
    #expect(worked.contains("\n   got work that belongs to B here:\n > 0  handOver()"))
    let left = try deadlock("nobody-left", heldFrames: "")
    #expect(left.contains("\nB → A: thread 7 \"t7\" waits for A and might have posted B\n"))
    #expect(left.contains("\nA → B: thread 7 \"t7\" waits for B while it holds A\n"))
    #expect(!left.contains("given work"))
  }

  @Test(arguments: [("deadlock", "nobody-left"), ("lockOrderInversion", "cycle")])
  func aSemaphoreHasNoHolder(_ kind: String, _ code: String) throws {
    let edge =
      #""thread":{"id":7,"name":"t7"},"fromMode":"exclusive","toMode":"exclusive","held":[],"#
      + #""toFrames":[\#(Self.frame("wait()", 7))],"fromFrames":[\#(Self.frame("post()", 9))]"#
    let report = try Self.report(
      kind,
      #"""
      {"severity":"error","code":"\#(code)","message":"stuck","thread":12,"stacks":[],
      "locks":[{"address":"0x0000000000001000","type":"mutex","origin":[]},
      {"address":"0x0000000000002000","type":"semaphore","origin":[]}],
      "edges":[{"from":0,"to":1,\#(edge)},{"from":1,"to":0,\#(edge)}]}
      """#)
    let words = kind == "deadlock" ? "might have posted semaphore" : "after it waited for semaphore"
    let shown = Self.text(report)
    #expect(shown.contains(words.replacing("semaphore", with: "B")), "\(shown)")
    #expect(!shown.contains("took B"), "\(shown)")
    for text in [SarifFile.text(of: [report], version: "1"), WorkflowCommands.text(of: report)] {
      #expect(text.contains(words), "\(text)")
      #expect(!text.contains("took semaphore"), "\(text)")
    }
  }

  private static func offMainQueue() throws -> CrashReport {
    try report(
      "mainQueueViolation",
      #"""
      {"severity":"warning","code":"wrong-queue","message":"100%: {off} [main],\nreally","thread":12,"function":"draw()",
      "expected":"com.apple.main-thread","actual":"","sourceLocation":{"file":"App/a:b.swift","line":42,"column":0},
      "locks":[],"edges":[],"stacks":[
      {"label":"here","thread":{"id":12,"name":"writer"},"frames":[\#(frame("draw()", 41)),\#(system)]},
      {"label":"enqueued from","thread":{"id":0},"frames":[\#(frame("main", 1, file: "/else where/main.swift"))]}]}
      """#)
  }

  @Test func aMainQueueViolationNamesBothQueues() throws {
    let text = Self.text(try Self.offMainQueue())
    #expect(text.hasPrefix("api was off the main queue in thread 12"))
    #expect(text.contains("\n   expected  com.apple.main-thread\n   found     none\n"))
    #expect(text.contains("\n   stated at App/a:b.swift:42 in draw()\n"))
    #expect(text.contains("\nHere, thread 12 \"writer\"\n > 0  draw()        App/a:b.swift:41:3\n"))
    #expect(text.contains("\nEnqueued from, a thread\n > 0  main  /else where/main.swift:1:3\n"))
  }

  @Test(arguments: [
    ("off-main-thread", "main thread", "was off the main queue"), ("wrong-queue", "store", "was on the wrong queue"),
    ("wrong-queue", "com.apple.main-thread", "was off the main queue"), ("wrong-actor", "Cart", "left its actor"),
    ("blocks-main-queue", "not com.apple.main-thread", "was on the main queue"),
    ("forbidden-queue", "not store", "was on a forbidden queue"),
  ])
  func theHeadlineSaysWhichRuleWasBroken(_ code: String, _ expected: String, _ words: String) throws {
    let report = try Self.report(
      "mainQueueViolation",
      #"{"severity":"error","code":"\#(code)","message":"m","thread":12,"expected":"\#(expected)"}"#)
    #expect(Self.text(report).hasPrefix("api \(words)"))
  }

  // MARK: Graphviz

  @Test func graphviz() throws {
    let graph = try #require(
      LockGraph.text(of: try Self.cycle("lockOrderInversion"), sources: SourceFolders(workingDirectory: .at("/srv"))))
    #expect(
      graph == #"""
        digraph locks {
          label="taken both ways";
          node [shape=box];
          A [label="A\nmutex \"a \"quoted\" \\name\" at 0x0000000000001000"];
          B [label="B\nrwlock at 0x0000000000002000"];
          C [label="C\nqueue \"gate\" at 0x0000000000003000"];
          A -> B [label="thread 11 \"t11\"\ninner1()\nApp/a:b.swift:11:3"];
          B -> C [label="thread 12 \"t12\"\ninner2()\nApp/a:b.swift:12:3"];
          C -> A [label="thread 12 \"t12\"\ninner0()\nApp/a:b.swift:10:3"];
        }

        """#)
    #expect(LockGraph.text(of: try Self.offMainQueue()) == nil)
  }

  // MARK: GitHub

  @Test func linesForRunners() throws {
    #expect(
      WorkflowCommands.text(of: try Self.offMainQueue(), sources: SourceFolders(workingDirectory: .at("/srv")))
        == "::warning file=App/a%3Ab.swift,line=42,title=mainQueueViolation/wrong-queue::100%25: {off} [main],%0Areally"
        + "%0Athread 12: here: draw() (App/a:b.swift:41)%0Aenqueued from: main (/else where/main.swift:1)\n")
    let cycle = WorkflowCommands.text(
      of: try Self.cycle("deadlock", message: "a,b"), sources: SourceFolders(workingDirectory: .at("/srv")))
    let start = "::error file=App/a%3Ab.swift,line=10,col=3,title=deadlock/cycle::a,b%0Athread 11: waits for rwlock B"
    #expect(cycle.hasPrefix(start))
    #expect(cycle.filter { $0 == "\n" }.count == 1)
  }

  @Test func aCrashIsShownAtItsFirstOwnLine() throws {
    let text = #"""
      {"schema":"crashkit/1","kind":"crashReport","signal":{"number":11,"name":"SIGSEGV"},"cause":"null pointer dereference",
      "threads":[{"id":1,"crashed":true,"frames":[\#(Self.system),\#(Self.frame("load()", 7))]}]}
      """#
    let report = CrashReport(fields: try JSONParser.parse(Array(text.utf8)).object)
    #expect(
      WorkflowCommands.text(of: report, sources: SourceFolders(workingDirectory: .at("/srv")))
        == "::error file=App/a%3Ab.swift,line=7,col=3,title=crashReport/SIGSEGV::null pointer dereference"
        + "%0Athread 1: crashed here: load() (App/a:b.swift:7)\n")
  }

  @Test func compilerGeneratedCodeHasNoFile() throws {
    // An index out of range in optimised code: the check and the subscript are inlined, with no file of their own.
    let made = Self.frame("Array.subscript.getter", 0, file: "/<compiler-generated>")
    let libc = Self.frame("abort", 79, file: "/build/abort.c").replacing("}}", with: #"},"system":true}"#)
    let text = #"""
      {"schema":"crashkit/1","kind":"crashReport","signal":{"number":4,"name":"SIGILL"},"cause":"trap",
      "threads":[{"id":1,"crashed":true,"frames":[\#(made),\#(libc),\#(Self.frame("load()", 7))]}]}
      """#
    let report = CrashReport(fields: try JSONParser.parse(Array(text.utf8)).object)
    let line = WorkflowCommands.text(of: report, sources: SourceFolders(workingDirectory: .at("/srv")))
    #expect(line.hasSuffix("::trap%0Athread 1: crashed here: load() (App/a:b.swift:7)\n"), "\(line)")
    let file = SarifFile.text(of: [report], version: "1", sources: SourceFolders(workingDirectory: .at("/srv")))
    #expect(file.contains("Array.subscript.getter") && !file.contains("compiler-generated"), "\(file)")
  }

  // MARK: SARIF

  @Test func sarif() throws {
    let text = SarifFile.text(
      of: [try Self.offMainQueue(), try Self.cycle("deadlock"), try Self.offMainQueue()], version: "1.2",
      sources: SourceFolders(workingDirectory: .at("/srv")))
    let file = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(file["version"] as? String == "2.1.0")
    let run = try #require((file["runs"] as? [[String: Any]])?.first)
    let driver = try #require((run["tool"] as? [String: Any])?["driver"] as? [String: Any])
    let rules = try #require(driver["rules"] as? [[String: String]])
    #expect(rules.map { $0["id"] } == ["mainQueueViolation/wrong-queue", "deadlock/cycle"])
    #expect(rules.map { $0["name"] } == ["MainQueueViolationWrongQueue", "DeadlockCycle"])
    let results = try #require(run["results"] as? [[String: Any]])
    #expect(results.map { $0["ruleIndex"] as? Int } == [0, 1, 0])
    #expect(results.map { $0["level"] as? String } == ["warning", "error", "warning"])
    // Braces and brackets mean something in a message.
    #expect((results[0]["message"] as? [String: String])?["text"] == "100%: {{off}} \\[main\\],\nreally")
    let location = try #require((results[0]["locations"] as? [[String: Any]])?.first)
    let physical = try #require(location["physicalLocation"] as? [String: Any])
    #expect(physical["artifactLocation"] as? [String: String] == ["uri": "App/a%3Ab.swift", "uriBaseId": "SRCROOT"])
    #expect(physical["region"] as? [String: Int] == ["startLine": 42])
    let stacks = try #require(results[0]["stacks"] as? [[String: Any]])
    let outside = try #require((stacks[1]["frames"] as? [[String: Any]])?.first?["location"] as? [String: Any])
    let artifact = (outside["physicalLocation"] as? [String: Any])?["artifactLocation"] as? [String: String]
    #expect(artifact == ["uri": "file:///else%20where/main.swift"])
    #expect((results[1]["stacks"] as? [Any])?.count == 6)
  }
}
