import Testing

#if THREADGUARD && arch(x86_64)
  /// The trap in programs without CrashKit and with it, whose handlers it must live with.
  @Suite struct NaNTests {
    static let programs = ["guard-probe", "guard-async-probe"]

    static let expected: [(scenario: String, lines: String)] = [
      ("born", "nan-born: a NaN was made: 0.0 / 0.0\nload -nan"),
      ("loop", "nan-born: a NaN was made: 0.0 / 0.0\n1000 NaNs\na number 2.0"),
      ("scoped", "nan-born: a NaN was made: inf - inf\n-nan -nan -nan"),
      ("blocked", "nan-born: a NaN was made: 0.0 / 0.0\nload -nan\nstill blocked true"),
      ("fork", "child 7"),
      ("many", "nan-born: a NaN was made: 0.0 / 0.0\ndone"),
      ("deep", "nan-born, below its caller\npower -nan"),
      (
        "quiet",
        "nan-used: the program used a NaN that was made earlier: the maximum of nan and 1.0\n"
          + "nan-used: the program used a NaN that was made earlier: the minimum of nan and 1.0\ndone"
      ),
    ]

    @Test(arguments: programs, expected)
    func reported(_ program: String, _ expected: (scenario: String, lines: String)) throws {
      let run = try ProgramRun(program, [expected.scenario])
      #expect(run.status == 0)
      #expect(run.output == expected.lines + "\n")
    }

    /// Each operation with its operands; where a NaN comes in, it is called a use.
    @Test func operationsAreNamed() throws {
      let run = try ProgramRun("guard-probe", ["kinds"])
      #expect(run.status == 0)
      let told = run.lines.filter { $0.hasPrefix("nan-") }
      let born = told.dropFirst().prefix(3).map { $0.dropFirst("nan-born: a NaN was made: ".count) }
      #expect(born == ["inf - inf", "inf + -inf", "0.0 * inf"])
      #expect(told.contains("nan-used: the program used a NaN that was made earlier: 1.0 + snan"))
      #expect(told.count == 9)
      #expect(run.lines.contains("quiet -nan false false -nan"))
    }

    /// Without CrashKit a thread has the trap if its creator has it; with CrashKit every new one has.
    @Test(arguments: [("guard-probe", false), ("guard-async-probe", true)])
    func newThreads(_ program: String, _ all: Bool) throws {
      let run = try ProgramRun(program, ["threads"])
      #expect(run.status == 0)
      let orphans = all ? ["nan-born: a NaN was made: 0.0 * inf"] : []
      #expect(
        run.lines.map(String.init) == [
          "nan-born: a NaN was made: 0.0 / 0.0", "new thread -nan", "nan-born: a NaN was made: inf - inf", "queue -nan",
        ] + orphans + ["thread of an older thread -nan"])
    }

    /// What is no NaN dies as ever, with a report by CrashKit where that is linked.
    @Test(arguments: programs, ["stop", "division", "sent"])
    func deaths(_ program: String, _ scenario: String) throws {
      let run = try ProgramRun(program, [scenario])
      #expect(run.status == 128 + 8)
      #expect(run.output.isEmpty)
      let crashes = run.reports.filter { $0.hasSuffix("-crashReport.json") }
      #expect(crashes.count == (program == "guard-probe" ? 0 : 1))
      #expect(run.errors.contains("a NaN was made: 0.0 / 0.0") == (scenario == "stop"))
      #expect(run.errors.contains("FPE_INTDIV") == (scenario == "division" && !crashes.isEmpty))
      #expect(run.errors.contains("FPE_FLTINV") == (scenario == "stop" && !crashes.isEmpty))
    }

    @Test(arguments: programs)
    func theProgramsOwnHandlerGetsTheRest(_ program: String) throws {
      let run = try ProgramRun(program, ["own-handler"])
      #expect(run.status == 3)
      #expect(run.lines == ["nan-born: a NaN was made: 0.0 / 0.0", "load -nan", "own handler"])
    }
  }
#endif
