import CrashReportModel
import Foundation
import Testing

/// Cores that no kernel wrote: gdb's of a living process, of other machines, and cut ones.
@Suite(.timeLimit(.minutes(30))) struct OtherCoreTests {
  private static let hasGcore = (try? Command.run("gcore", ["-h"]).status) != 127
  private static let source = """
    #include <pthread.h>
    #include <stdio.h>
    #include <unistd.h>
    static __attribute__((noinline)) void *wait_here(void *gate) { pause(); return gate; }
    static __attribute__((noinline)) int call(int depth) { if (depth) return call(depth - 1) + 1; pause(); return 0; }
    int main(void) {
      pthread_t thread;
      pthread_create(&thread, 0, wait_here, 0);
      usleep(50000);
      puts("ready");
      fflush(stdout);
      return call(3);
    }
    """

  private let scratch = try! Scratch()

  /// The victim is ended when its core is there.
  private func core() throws -> String {
    let file = try scratch.write(Self.source, to: "victim.c")
    let built = try Command.run(
      "gcc", [file, "-o", scratch.path("victim"), "-O1", "-g", "-pthread", "-Wl,--build-id"])
    try #require(built.status == 0, "\(built.errors)")
    let script = """
      cd "$1"; mkfifo ready; ./victim >ready & victim=$!; read line <ready
      gcore -o core $victim; status=$?; kill $victim; mv core.$victim core; exit $status
      """
    let result = try Command.run("bash", ["-c", script, "bash", scratch.folder.path()])
    try #require(result.status == 0, "\(result.errors)")
    return scratch.path("core")
  }

  private func report(_ path: String) throws -> CrashReport {
    let result = try Command.crashsym("--format", "json", path)
    try #require(result.status == 0, "\(result.errors)")
    return CrashReport(fields: try JSONParser.parse(Array(result.output.utf8)).object)
  }

  /// gdb leaves mappings out that the file on the disk has, code above all.
  @Test(.enabled(if: hasGcore)) func coreOfGdb() throws {
    let core = try core()
    let report = try report(core)
    #expect(report.kind == .capture)
    #expect(report.signal == nil)
    #expect(report.threads?.count == 2)
    #expect(report.threads?.allSatisfy { $0.stackEnd == "entry" && $0.unwoundBy == "cfi" } == true)
    let names = report.threads?.map { ($0.frames ?? []).compactMap(\.symbol).filter { !$0.contains("pause") } }
    #expect(names?.first?.prefix(5) == ["call", "call", "call", "call", "main"])
    #expect(names?.last?.first == "wait_here")
    #expect(report.images?.contains { $0.name == "victim" && $0.buildID != nil } == true)

    // Cut anywhere, there is a report with what is left, or one line.
    let whole = try Data(contentsOf: URL(filePath: core))
    for count in [0, 1, 63, 64, 1_000, 20_000, whole.count / 4, whole.count / 2, whole.count - 1] {
      let cut = scratch.path("cut")
      try whole.prefix(count).write(to: URL(filePath: cut))
      let result = try Command.crashsym(cut)
      #expect([0, 65].contains(result.status), "\(count)")
      #expect(result.errors.split(separator: "\n").count == (result.status == 0 ? 0 : 1), "\(count)")
      // Behind the notes, which come last, there is nothing that a report needs.
      #expect(result.status == 65 || result.output.contains("Thread "), "\(count)")
      if result.status == 65, count > 1_000 { #expect(result.errors.contains("it ends after \(count) of"), "\(count)") }
    }
  }

  @Test(arguments: [
    (1, 3, "a core file of a 32-bit program, which is not supported"),
    (2, 243, "a core file for a processor that is neither x86-64 nor AArch64"),
    (2, 183, "a core file without a thread in it"), (2, 62, "a core file without a thread in it"),
  ])
  func coresThatAreNotRead(_ kind: UInt8, _ machine: UInt16, _ what: String) throws {
    var header = Data([0x7f, 0x45, 0x4c, 0x46, kind, 1, 1]) + Data(count: 57)
    for (place, value) in [(16, 4), (18, machine), (20, 1), (52, 64), (54, 56)] as [(Int, UInt16)] {
      header[place] = UInt8(truncatingIfNeeded: value)
      header[place + 1] = UInt8(value >> 8)
    }
    let path = scratch.path("core")
    try header.write(to: URL(filePath: path))
    let result = try Command.crashsym(path)
    #expect(result.status == 65)
    #expect(result.errors == "crashsym: \(what): \(path)\n")
  }
}
