import Foundation
import Synchronization
import Testing

/// What this run of the tests has compiled. Each program is compiled once, and each test gets a copy of its own.
final class CompiledPrograms: Sendable {
  static let shared = try? CompiledPrograms()

  private let folder: TemporaryFolder
  private let outputs = Mutex<[[String]: URL]>([:])

  private init() throws {
    folder = try TemporaryFolder()
    // A static value is never freed, so nothing else removes the folder.
    atexit { if let shared = CompiledPrograms.shared { try? FileManager.default.removeItem(at: shared.folder.url) } }
  }

  /// Keeps what this command compiled.
  func keep(_ output: String, of command: [String]) throws {
    let kept = folder.url.appending(path: UUID().uuidString)
    try FileManager.default.copyItem(at: URL(filePath: output), to: kept)
    outputs.withLock { $0[command] = kept }
  }

  /// Copies what this command compiled to `output`, unless it was not run yet.
  ///
  /// Another process copies. While this one has a program open to write, a child that another test starts has it too, and
  /// the kernel runs no such program (ETXTBSY).
  func copy(of command: [String], to output: String) throws -> Bool {
    guard let kept = outputs.withLock({ $0[command] }) else { return false }
    let run = try ProgramRun.run(["/bin/cp", kept.path, output])
    try #require(run.end == .exited(0), Comment(rawValue: run.standardError))
    return true
  }
}
