import Foundation
import TestEnvironment
import Testing

/// `crashsym symbols add --strip` that is killed at each of its system calls that change something.
@Suite(.timeLimit(.minutes(30))) struct KilledStrippingTests {
  private let filed: FiledProgram
  private let store: String

  init() throws {
    filed = try FiledProgram(try Scratch())
    store = filed.scratch.path("store")
  }

  private static var hasStrace: Bool { (try? Command.run("strace", ["-V"]).status == 0) ?? false }

  private func leftovers(_ folder: String) throws -> [String] {
    let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    return names.filter { $0.contains(".crashsym-") }
  }

  private static let full = tests_are_full()
  /// The quick set has those by which a file could be lost.
  private static let calls = ["write", "renameat"] + (full ? ["fsync", "flock", "mkdir", "fchmod"] : [])

  @Test(.enabled(if: hasStrace), arguments: calls)
  func programIsNeverLost(_ call: String) throws {
    let strip = ["symbols", "add", "--strip", "--to", store, filed.program]
    var kills = 0
    var leftBehind = 0
    while true {
      kills += 1
      try? FileManager.default.removeItem(atPath: store)
      _ = try Command.run("cp", ["--remove-destination", filed.original, filed.program])
      let inject = ["-f", "-o", "/dev/null", "-e", "trace=\(call)", "-e", "inject=\(call):signal=KILL:when=\(kills)"]
      let killed = try Command.run("strace", inject + [Command.crashsym] + strip)
      leftBehind += try leftovers(filed.scratch.folder.path()).count
      if killed.status == 0 { break }
      // It is whole, stripped or not, and what was stripped of it is there.
      #expect(try Command.run(filed.program).status == 0, "\(call) \(kills)")
      if !FileManager.default.contentsEqual(atPath: filed.program, andPath: filed.original) {
        #expect(try filed.lookup(filed.program, symbols: store) == filed.lookup(filed.original), "\(call) \(kills)")
      }
      // The next one cleans up, whether there is anything left to do or not.
      _ = try Command.run("cp", ["--remove-destination", filed.original, filed.program])
      #expect(try Command.run(Command.crashsym, strip).status == 0, "\(call) \(kills)")
      #expect(try leftovers(filed.scratch.folder.path()).isEmpty, "\(call) \(kills)")
    }
    #expect(kills > 1, "nothing was killed")
    // Killed while it writes, it cannot but leave something.
    #expect(leftBehind > 0 || !["write", "fsync", "fchmod"].contains(call))
  }

  /// What somebody is writing at the moment is nobody's leftover.
  @Test func fileOfALivingProcessStays() throws {
    let leftover = filed.scratch.path(".crashsym-1-abc")
    let living = filed.scratch.path(".crashsym-1-def")
    for path in [leftover, living] { try Data("part".utf8).write(to: URL(filePath: path)) }
    let descriptor = open(living, O_RDONLY | O_CLOEXEC)
    try #require(descriptor >= 0 && flock(descriptor, LOCK_EX) == 0)
    defer { close(descriptor) }
    let result = try Command.crashsym("symbols", "add", "--strip", "--to", store, filed.program)
    #expect(result.status == 0, "\(result.errors)")
    #expect(!FileManager.default.fileExists(atPath: leftover))
    #expect(FileManager.default.fileExists(atPath: living))
  }

  @Test func aRefusalLeavesNoFolder() throws {
    let text = try filed.scratch.write("no program", to: "text")
    let bare = filed.scratch.path("bare")
    _ = try Command.run("strip", ["-R", ".note.gnu.build-id", "-g", filed.program, "-o", bare])
    for file in [text, bare, filed.scratch.path("none")] {
      let result = try Command.crashsym("symbols", "add", "--strip", "--to", store, file)
      #expect([65, 66].contains(result.status), "\(file)")
      #expect(!FileManager.default.fileExists(atPath: store), "\(file)")
    }
  }
}
