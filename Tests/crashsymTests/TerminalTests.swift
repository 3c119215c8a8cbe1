import Foundation
import Testing

/// Signals and job control of `crashsym run` on a terminal; the scenarios are in `Helpers/terminal.py`.
@Suite(.timeLimit(.minutes(30))) struct TerminalTests {
  private let scratch = try! Scratch()

  private func scenario(_ name: String) throws -> String {
    let library = try scratch.compile("int crashkit_test_library;", to: "library.so", "-shared", "-fPIC")
    let result = try Command.run(
      "timeout", ["-k", "5", "90", "python3", Command.fixture("Helpers/terminal.py"), name, Command.crashsym],
      environment: ["CRASHSYM_PRELOAD": library])
    return result.output + result.errors
  }

  @Test func aKeyOfTheTerminalReachesTheProgramOnce() throws {
    #expect(try scenario("interrupt") == "SIGINT=1 status 5\n")
  }

  @Test func aSignalOfAProcessReachesTheProgramOnce() throws {
    #expect(try scenario("process") == "SIGINT=1 SIGTERM=1 status 5\n")
  }

  @Test func theHangupOfTheTerminalReachesTheProgram() throws {
    #expect(try scenario("hangup") == "status 6\n")
  }

  @Test func theShellStopsAndContinuesTheJob() throws {
    #expect(try scenario("suspend") == "stopped T\ncontinued\n")
  }
}

private let canMakeNamespace = (try? Command.run("unshare", ["-rpf", "--mount-proc", "true"]).status) == 0

/// `crashsym run` as the first process of a PID namespace, as in a container.
@Suite(.timeLimit(.minutes(30)), .enabled(if: canMakeNamespace, "no PID namespace can be made here"))
struct FirstProcessTests {
  private let scratch = try! Scratch()

  private func run(_ script: String) throws -> Command.Result {
    let library = try scratch.compile("int crashkit_test_library;", to: "library.so", "-shared", "-fPIC")
    return try Command.run(
      "timeout",
      ["-k", "5", "60", "unshare", "-rpf", "--mount-proc", Command.crashsym, "run", "--", "sh", "-c", script],
      environment: ["CRASHSYM_PRELOAD": library])
  }

  @Test func deathBySignalBecomesAStatus() throws {
    #expect(try run("kill -SEGV $$").status == 128 + SIGSEGV)
    #expect(try run("exit 4").status == 4)
  }

  @Test func orphansAreReaped() throws {
    // The shell between ends at once, so its child becomes ours; it tells its id and ends. A reaped process has no
    // entry in /proc, and a zombie keeps one.
    let script = """
      orphan=$(sh -c 'sh -c "echo \\$\\$; exec >&-; exit 0" &')
      tries=0
      while [ -e /proc/$orphan ] && [ $tries -lt 1000 ]; do tries=$((tries + 1)); sleep 0.01; done
      [ ! -e /proc/$orphan ] && [ $PPID = 1 ] && echo reaped
      """
    #expect(try run(script).output == "reaped\n")
  }

  @Test func signalsFromOutsideReachTheProgram() throws {
    let script = "trap 'kill $!; exit 33' TERM; sleep 30 & (kill -TERM 1); wait"
    #expect(try run(script).status == 33)
  }
}
