import CrashReportReading
import Foundation
import Testing

@Suite struct InputFileTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "input-\(UUID().uuidString)")

  private func with<Result>(_ body: (String) throws -> Result) throws -> Result {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder.path())
  }

  private func failure(_ path: String, limit: Int = InputFile.defaultLimit) -> ReadingError? {
    do throws(ReadingError) {
      _ = try InputFile.read(path: path, limit: limit)
      return nil
    } catch {
      return error
    }
  }

  @Test func readsAFileWhole() throws {
    try with { folder in
      let bytes = (0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      try Data(bytes).write(to: URL(filePath: folder + "/file"))
      #expect(try InputFile.read(path: folder + "/file") == bytes)
      #expect(failure(folder + "/file", limit: 69_999)?.kind == .notAReport)
      #expect(failure(folder + "/file", limit: 70_000) == nil)
    }
  }

  @Test func refusesALargeFileBeforeReadingIt() throws {
    try with { folder in
      let file = open(folder + "/zeros", O_CREAT | O_WRONLY, 0o600)
      #expect(ftruncate(file, 1 << 30) == 0)
      close(file)
      #expect(
        failure(folder + "/zeros")
          == ReadingError(.notAReport, "more than 256 MiB; if it is a log, cut out the part around the crash"))
    }
  }

  @Test func refusesAFolderAndADevice() throws {
    try with { folder in
      #expect(failure(folder) == ReadingError(.noInput, "a folder, not a report; give the *.json files in it"))
      #expect(failure(folder + "/none") == ReadingError(.noInput, "no such file"))
      #expect(failure(folder + "/none/none") == ReadingError(.noInput, "no such file"))
      #expect(failure("/dev/zero") == ReadingError(.noInput, "a device, not a file"))
      #expect(failure(String(repeating: "a", count: 300))?.kind == .noInput)
    }
  }

  /// Opening a FIFO that nobody writes to would wait for ever; the time limit is what fails then.
  @Test(.timeLimit(.minutes(30))) func doesNotWaitForAPipe() throws {
    try with { folder in
      #expect(mkfifo(folder + "/pipe", 0o600) == 0)
      #expect(
        failure(folder + "/pipe")
          == ReadingError(.noInput, "a pipe, not a file; give it on standard input"))
    }
  }
}
