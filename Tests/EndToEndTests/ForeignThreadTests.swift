#if arch(x86_64)
  import CLinuxCalls
  import Foundation
  import Testing

  /// Whether the thread pointer can be read without a system call: AT_HWCAP2's bit for RDFSBASE.
  private let isTold = getauxval(UInt(AT_HWCAP2)) & 2 != 0

  private let pointers = ["null", "block", "alike", "hole"]

  extension EndToEnd {
    /// Threads with a thread pointer that is not libc's. Where the processor or the kernel does not tell it (FSGSBASE),
    /// CrashKit cannot know them, and such a program dies.
    @Suite(.enabled(if: isTold, "the thread pointer can be read by a system call only"))
    struct ForeignThreadTests {
      private let folder: TemporaryFolder
      private let program: String

      init() throws {
        folder = try TemporaryFolder()
        program = try Compiler.compile("foreign_thread.c", into: folder, options: ["-fno-stack-protector"])
      }

      private func run(_ kind: String, _ pointer: String, options: String = "") throws -> (
        run: ProgramRun, reports: [String]
      ) {
        let reports = folder.url.appending(path: "reports").path
        let command = [Products.crashsym, "run", "--quiet", "--output", reports, "--", program, kind, pointer]
        let run = try ProgramRun.run(command, environment: ["CRASHKIT_OPTIONS": options])
        let names = (try? FileManager.default.contentsOfDirectory(atPath: reports)) ?? []
        return (run, names.filter { $0.hasSuffix("-crashReport.json") })
      }

      @Test(arguments: pointers) func theProgramsHandlersRun(_ pointer: String) throws {
        let (run, reports) = try run("repair", pointer)
        #expect(run.end == .exited(0) && run.standardOutput == "repaired: 3, handled: 1\n", "\(run)")
        #expect(reports.isEmpty)
      }

      @Test(arguments: pointers) func theSignalForACaptureDoesNotEndTheProcess(_ pointer: String) throws {
        let (run, _) = try run("asked", pointer, options: "on-signal=QUIT")
        #expect(run.end == .exited(0) && run.standardOutput == "repaired: 0, handled: 1\n", "\(run)")
      }

      /// There is no report: nothing of ours works there.
      @Test(arguments: pointers) func theProgramDiesAsWithoutCrashKit(_ pointer: String) throws {
        #expect(try run("dies", pointer).run.end == .killed(signal: SIGILL))
      }

      @Test(arguments: pointers) func aCrashOnAnotherThreadIsReported(_ pointer: String) throws {
        let (run, reports) = try run("beside", pointer)
        #expect(run.end == .killed(signal: SIGSEGV) && reports.count == 1, "\(run)")
        let report = try ProducedReport(path: "\(folder.url.path)/reports/\(try #require(reports.first))")
        #expect(report.threads.count == 2)
      }
    }
  }
#endif
