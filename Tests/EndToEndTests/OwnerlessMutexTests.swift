import Foundation
import Testing

extension EndToEnd {
  /// Swift's `Mutex` of a runtime without priority inheritance, which is not here: its library is imitated.
  @Suite struct OwnerlessMutexTests {
    private static let program = "ownerless_mutex.c"

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The options that link a program with the library, which is built for it.
    private func linking() throws -> [String] {
      let library = folder.url.appending(path: "libswiftSynchronization.so")
      let built = try Compiler.compile(
        Self.program, into: folder,
        options: ["-DLIBRARY", "-shared", "-fPIC", "-Wl,-soname,\(library.lastPathComponent)"])
      try FileManager.default.moveItem(atPath: built, toPath: library.path)
      return ["-Wl,--no-as-needed", library.path, "-Wl,-rpath,\(folder.url.path)"]
    }

    private func expectNoOwner(_ threads: [ProducedReport.Thread]) throws {
      let waits = threads.filter { $0.crashed != true }.compactMap(\.waitingFor)
      try #require(waits.count == 1)
      #expect(waits[0].type == "mutex" && waits[0].owner == nil && waits[0].name == "mutex")
    }

    @Test func aCrashShowsTheMutex() throws {
      let program = try Compiler.compile(Self.program, into: folder, options: linking())
      try expectNoOwner(Victim([Products.crashsym, "run", "--", program]).symbolicatedReport().threads)
    }

    @Test func aCaptureShowsTheMutex() throws {
      let asked = try AskedProgram(Self.program, ["stay"], options: linking())
      try expectNoOwner(WaitReport.ofCapture(asked.pid).threads)
      _ = asked.running.finish()
    }

    @Test(.enabled(if: KernelCore.isKept, "the kernel puts core files elsewhere"))
    func aCoreShowsTheMutex() throws {
      let program = try Compiler.compile(Self.program, into: folder, options: linking())
      _ = try ProgramRun.run(KernelCore.launch(in: folder) + [program])
      try expectNoOwner(KernelCore.report(in: folder, as: WaitReport.self).threads)
    }
  }
}
