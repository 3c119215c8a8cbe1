import Foundation
import Testing

/// Uses of locks in run-times that look wrong and are right by their design.
struct ToleratedUsesTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  @Test func docsListEveryUse() throws {
    let list = try String(
      contentsOf: Self.root.appending(path: "Sources/Locks/CThreadGuard/findings/tolerated_uses.def"), encoding: .utf8)
    let words = ["FIRST": "the first", "EVERY": "every", "ORDERS": "both of each order"]
    let uses = try list.matches(of: /(?m)^USE\((\w+), "([^"]+)", (\w+), (\d)\)$/).map { use in
      let code = use.1.lowercased().replacing("_", with: "-")
      let functions = use.4 == "1" ? "1 function" : "\(use.4) functions"
      return ["`\(use.2)`", "`\(code)`", "\(try #require(words[String(use.3)])); \(functions)"]
    }
    #expect(!uses.isEmpty && uses.count == list.split(separator: "\n").count { $0.hasPrefix("USE") })
    let page = try String(contentsOf: Self.root.appending(path: "Docs/threadguard-locks.md"), encoding: .utf8)
    let start = try #require(page.firstRange(of: "### Uses that are tolerated\n")?.upperBound)
    let rows = page[start...].split(separator: "\n").drop { !$0.hasPrefix("| ---") }.dropFirst()
      .prefix { $0.hasPrefix("| ") }
    #expect(rows.map { $0.split(separator: "|").prefix(3).map { $0.trimmingCharacters(in: .whitespaces) } } == uses)
  }

  private static let library = """
    #include <pthread.h>
    static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
    static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
    static int ready;
    static void *make_ready(void *unused) {
      pthread_mutex_lock(&inner);
      ready = 1;
      pthread_cond_signal(&changed);
      pthread_mutex_unlock(&inner);
      return unused;
    }
    void library_lock(void) { pthread_mutex_lock(&outer); }
    void library_wait(void) {
      pthread_t thread;
      pthread_mutex_lock(&inner);
      pthread_create(&thread, 0, make_ready, 0);
      while (!ready) pthread_cond_wait(&changed, &inner);
      pthread_mutex_unlock(&inner);
      pthread_join(thread, 0);
      pthread_mutex_unlock(&outer);
    }
    void library_does_both(void) {
      library_lock();
      library_wait();
    }
    """
  private static let program = """
    void library_lock(void), library_wait(void), library_does_both(void);
    int main(int count, char **arguments) {
      (void)arguments;
      if (count > 1) {
        library_lock();
        library_wait();
      } else {
        library_does_both();
      }
      return 0;
    }
    """
  private static let compiler = ["/usr/bin/gcc", "/usr/bin/cc"].first(where: FileManager.default.isExecutableFile)

  @Test(
    .enabled(if: compiler != nil, "there is no C compiler here"),
    arguments: [("libnode.so.1", [], 0), ("libnode.so.1", ["by-the-program"], 1), ("libnod.so", [], 1)])
  func aRunTimesOwnWaitIsTolerated(_ name: String, _ arguments: [String], _ reports: Int) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "tolerated-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    func place(_ name: String) -> String { folder.appending(path: name).path }
    try Self.library.write(toFile: place("library.c"), atomically: false, encoding: .utf8)
    try Self.program.write(toFile: place("program.c"), atomically: false, encoding: .utf8)
    let compiler = try #require(Self.compiler)
    let commands = [
      ["-g", "-O0", "-fPIC", "-shared", "-pthread", place("library.c"), "-o", place(name), "-Wl,-soname,\(name)"],
      ["-g", "-O0", "-pthread", place("program.c"), place(name), "-o", place("program"), "-Wl,-rpath,\(folder.path)"],
    ]
    for command in commands { try #require(try ProgramRun(compiler, command).status == 0) }
    let run = try ProgramRun("crashsym", ["run", "--thread-guard", "--", place("program")] + arguments)
    #expect(run.status == 0)
    let lines = run.errors.split(separator: "\n").filter { $0.hasPrefix("ThreadGuard[") }
    let expected = "lockMisuse (warning): a thread waits for a condition while it holds another lock"
    #expect(lines.count { $0.hasSuffix(expected) } == reports, "\(run.errors)")
    #expect(lines.contains { $0.contains("observed") }, "\(run.errors)")
  }
}
