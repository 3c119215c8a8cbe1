import Testing

#if THREADGUARD
  /// The same rules under each kind of main, and in a program with CrashKit.
  @Suite struct MainKindTests {
    static let expected = """
      main queue: quiet
      main actor: quiet
      above main: quiet
      sync from main: quiet
      sync to main: quiet
      background: off-main-queue
      global queue: off-main-queue
      detached task: off-main-queue
      blocks main: blocks-main-queue
      blocks main actor: blocks-main-queue
      blocks background: quiet
      main thread from background: off-main-thread
      on: quiet
      on another: wrong-queue
      on, below sync: quiet
      on concurrent: quiet
      on concurrent, above: quiet
      on concurrent, after: wrong-queue
      not on: forbidden-queue
      not on another: quiet
      isolated to main actor: quiet
      isolated, main queue: quiet
      isolated, background: wrong-actor
      isolated, other task: wrong-actor
      isolated to own actor: quiet
      isolated to other actor: wrong-actor
      isolated, no task: wrong-actor
      isolated to queue actor: quiet
      isolated to other queue actor: wrong-actor
      isolated to queue actor, no task: wrong-actor
      isolated to silent actor: quiet
      isolated to silent actor, no task: quiet
      main queue from queue actor: off-main-queue
      property on main: quiet
      property off main: off-main-queue

      """

    @Test(arguments: [
      ("guard-probe", "run-loop"), ("guard-probe", "dispatch-main"), ("guard-async-probe", "async-main"),
    ])
    func theRulesHoldForEachKindOfMain(_ program: String, _ main: String) throws {
      let run = try ProgramRun(program, [main])
      #expect(run.status == 0)
      #expect(run.output == Self.expected)
    }
  }
#endif
