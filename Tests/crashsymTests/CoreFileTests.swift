import CrashReportModel
import Foundation
import Testing

/// Whether the kernel writes cores into the working folder; elsewhere they go to a program of the system's.
private let leavesCores =
  ((try? String(contentsOfFile: "/proc/sys/kernel/core_pattern", encoding: .utf8)) ?? "|").hasPrefix("core")

@Suite(.enabled(if: leavesCores, "this machine gives cores to a program"), .timeLimit(.minutes(30)))
struct CoreFileTests {
  private static let source = """
    #include <pthread.h>
    #include <unistd.h>
    static void *wait_here(void *gate) { pause(); return gate; }
    __attribute__((noinline)) int fail_at(volatile int *place, int depth) {
      return depth ? fail_at(place, depth - 1) + 1 : *place;
    }
    int main(int count, char **arguments) {
      pthread_t thread;
      pthread_create(&thread, 0, wait_here, 0);
      usleep(50000);
      return fail_at((volatile int *)(long)(8 * count * (arguments[0] != 0)), 3);
    }
    """

  private let scratch = try! Scratch()

  private func program(of source: String = source, _ flags: String...) throws -> String {
    let file = try scratch.write(source, to: "victim.c")
    let result = try Command.run(
      "gcc", [file, "-o", scratch.path("victim"), "-O1", "-g", "-pthread", "-Wl,--build-id"] + flags)
    try #require(result.status == 0, "\(result.errors)")
    return scratch.path("victim")
  }

  private func core(of program: String) throws -> String {
    let script = "cd \"$1\"; ulimit -S -c unlimited; exec \"$2\" secret"
    _ = try Command.run("sh", ["-c", script, "sh", scratch.folder.path(), program])
    let names = try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path())
    return scratch.path(try #require(names.first { $0 == "core" || $0.hasPrefix("core.") }))
  }

  private func report(_ arguments: String...) throws -> CrashReport {
    let result = try Command.run(Command.crashsym, ["--format", "json"] + arguments)
    try #require(result.status == 0, "\(result.errors)")
    return CrashReport(fields: try JSONParser.parse(Array(result.output.utf8)).object)
  }

  private func ownFrames(_ report: CrashReport) -> [String] {
    (report.threads?.first { $0.crashed == true }?.frames ?? []).filter { $0.isSystem != true }.map {
      "\($0.symbol ?? "?"):\($0.sourceLocation?.line ?? 0):\($0.sourceLocation?.column ?? 0)"
    }
  }

  /// Every command that reads reports reads what `show` reads.
  @Test func streamAndGroupReadACoreAsShowDoes() throws {
    let core = try core(of: try program())
    let shown = try Command.crashsym("--format", "json", core)
    #expect(shown.status == 0 && shown.output.contains("SIGSEGV"))
    let streamed = try Command.crashsym("stream", core)
    #expect(streamed.status == 0 && streamed.errors == "")
    #expect(streamed.output == shown.output)
    for place in [core, scratch.folder.path()] {
      let grouped = try Command.crashsym("group", place)
      #expect(grouped.status == 0, "\(grouped.errors)")
      #expect(grouped.output.contains("memory access in fail_at"), "\(grouped.output)")
      #expect(grouped.output.hasSuffix("\n1 report in 1 group\n"))
    }
  }

  @Test(arguments: ["-pie", "-no-pie"]) func allThreadsOfACore(_ kind: String) throws {
    let program = try program(kind)
    let report = try report(core(of: program))
    #expect(report.kind == .crashReport)
    #expect(report.signal?.name == "SIGSEGV")
    #expect(report.signal?.codeName == "SEGV_MAPERR")
    #expect(report.faultAddress == Address(16))
    #expect(report.cause == "null pointer dereference (access at 0x10)")
    #expect(report.process?.name == "victim")
    #expect(report.process?.arguments == nil)
    #expect(report.threads?.count == 2)
    #expect(report.threads?.allSatisfy { $0.stackEnd == "entry" && $0.unwoundBy == "cfi" } == true)
    #expect(report.threads?.first?.id == report.process?.pid)
    #expect(
      ownFrames(report).map { $0.split(separator: ":")[0] } == [
        "fail_at", "fail_at", "fail_at", "fail_at", "main",
      ])
    #expect(report.threads?[1].frames?.contains { $0.symbol == "wait_here" } == true)
    #expect(report.images?.first { $0.name == "victim" }?.buildID?.count == 40)
  }

  @Test func theSameOwnFramesAsCrashKitsReport() throws {
    let program = try program()
    let core = try report(core(of: program))
    let library = Command.products.appending(path: "libCrashKitPreload.so").path()
    let folder = scratch.path("reports")
    _ = try Command.run(
      Command.crashsym, ["run", "--", program, "secret"],
      environment: ["CRASHKIT_DIRECTORY": folder, "CRASHSYM_PRELOAD": library])
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    let own = try report("\(folder)/\(try #require(names.first { $0.hasSuffix(".json") }))")
    #expect(ownFrames(own).count == 5)
    #expect(ownFrames(core) == ownFrames(own))
    #expect(core.faultAddress == own.faultAddress)
    #expect(core.signal?.codeName == own.signal?.codeName)
  }

  /// The program's own file keeps no unwind tables at all: all are for a debugger, and go with the rest.
  @Test func unwindTablesOfTheDebugFile() throws {
    let program = try program("-fno-asynchronous-unwind-tables", "-fomit-frame-pointer")
    let core = try core(of: program)
    let whole = try ownFrames(report(core))
    #expect(whole.count == 5 && whole.last?.hasPrefix("main:") == true)
    let script =
      "objcopy --only-keep-debug $0 $0.debug && strip --remove-section=.gnu_debuglink $0 && objcopy --add-gnu-debuglink=$0.debug $0"
    #expect(try Command.run("sh", ["-c", script, program]).status == 0)
    #expect(try ownFrames(report(core)) == whole)
  }

  @Test(arguments: [("raise(SIGABRT)", CrashReport.CauseCode.raised), ("abort()", .abortCalled)])
  func abortOrItsSignal(_ call: String, _ cause: CrashReport.CauseCode) throws {
    let source = "#include <signal.h>\n#include <stdlib.h>\nint main(void) { \(call); return 0; }\n"
    #expect(try report(core(of: program(of: source))).causeCode == cause)
  }

  @Test func theCommandLineIsShownOnRequest() throws {
    let program = try program()
    let core = try core(of: program)
    #expect(!(try Command.crashsym(core)).output.contains("secret"))
    #expect(try report("--arguments", core).process?.arguments?.last == "secret")
  }

  /// A credential whose sign stands before the register's address, one that ends its mapping, and a text that is none.
  @Test func theMemoryAtRegistersHasNoCredentials() throws {
    let source = """
      #include <string.h>
      #include <sys/mman.h>
      static char url[] = "postgres://app:Swordfish77Swordfish@db/x", plain[] = "GET /orders?page=12&n=3";
      __attribute__((noinline)) int fail(const char *a, const char *b, const char *c, const char *d, volatile int *p) {
        return *p + *a + *b + *c + *d;
      }
      int main(void) {
        char *page = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        munmap(page + 4096, 4096);
        char *end = page + 4096 - 26, *start = page;
        memcpy(end, "password=SwordfishSwordfis", 26);
        memcpy(start, "orders one password=Swordfish", 29);
        return fail(url + 18, plain, end + 10, start + 20, 0);
      }
      """
    let memory = try #require(report(core(of: program(of: source))).capturedMemory)
    let texts = memory.members.compactMap { member -> String? in
      guard case .string(let hex) = member.value else { return nil }
      let bytes = stride(from: 0, to: hex.utf8.count, by: 2).compactMap {
        UInt8(hex.dropFirst($0).prefix(2), radix: 16)
      }
      return String(decoding: bytes, as: UTF8.self)
    }
    #expect(texts.contains("GET /orders?page"))
    #expect(texts.filter { $0.hasPrefix("********") }.count >= 3, "\(texts)")
    #expect(!texts.contains { $0.contains("Sword") || $0.contains("fish") }, "\(texts)")
  }

  @Test func theExecutableIsChecked() throws {
    let program = try program()
    let core = try core(of: program)
    let moved = scratch.path("moved")
    try FileManager.default.moveItem(atPath: program, toPath: moved)
    let without = try report(core)
    #expect(!ownFrames(without).contains { $0.hasPrefix("fail_at") })
    #expect(ownFrames(try report("--executable", moved, core)).count == 5)
    let other = try scratch.compile("int main(void) { return 3; }\n", to: "other", "-Wl,--build-id")
    let refused = try Command.crashsym("--executable", other, core)
    #expect(refused.status == 65)
    #expect(refused.errors.contains("the program that ran had"))
    #expect(try Command.crashsym("--executable", scratch.path("none"), core).status == 66)
    // Another build in its place is never used.
    try FileManager.default.copyItem(atPath: other, toPath: program)
    #expect(!ownFrames(try report(core)).contains { $0.hasPrefix("fail_at") })
  }

  @Test func compressed() throws {
    let core = try core(of: try program())
    let plain = try report(core)
    let packed = scratch.path("packed.zst")
    try #require(try Command.run("zstd", ["-q", core, "-o", packed]).status == 0)
    #expect(try report(packed).threads == plain.threads)
    let bytes = try Data(contentsOf: URL(filePath: packed))
    try bytes.prefix(bytes.count / 2).write(to: URL(filePath: packed))
    let cut = try report(packed)
    #expect(cut.capture?.cutShort?.contains { $0.what == "core" } == true)
  }

  @Test func truncated() throws {
    let core = try core(of: try program())
    let size = try #require(FileManager.default.attributesOfItem(atPath: core)[.size] as? Int)
    #expect(truncate(core, off_t(size / 2)) == 0)
    #expect(try report(core).capture?.cutShort?.first?.what == "core")
    for length in [64, 100, 1_000, 3_000, 4_096, 9_000] {
      #expect(truncate(core, off_t(length)) == 0)
      let result = try Command.crashsym(core)
      #expect(result.status == 0 || result.status == 65)
      #expect(result.errors.split(separator: "\n").count <= 1)
    }
  }
}
