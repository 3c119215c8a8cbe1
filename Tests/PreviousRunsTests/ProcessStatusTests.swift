import Foundation
import LinuxCalls
import Testing

@Suite struct ProcessStatusTests {
  private func line(_ name: String, state: String = "S", parent: String = "41", start: String = "9876") -> [UInt8] {
    Array("42 (\(name)) \(state) \(parent) 42 42 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 \(start) 1000 10\n".utf8)
  }

  /// A program's name may look like the fields behind it.
  @Test(arguments: ["api", "a b", ")", "(", ") R 1 (", "a) Z 7 7 7 (b) S 1", "", "x\n) S 1 2", "é"])
  func names(_ name: String) throws {
    let status = try #require(ProcessStatus(text: line(name)))
    #expect(status.state == "S" && status.parent == 41 && status.startTicks == 9876 && !status.hasEnded)
    var foreign = line(name)
    foreign.replaceSubrange(4..<4, with: [0xff, 0xfe])
    #expect(ProcessStatus(text: foreign) == status, "bytes that are no UTF-8")
  }

  @Test func textThatIsNotALineHasNoValue() {
    for text in ["", "42", "42 (api", "42 (api)", "42 (api) S 41", String(repeating: ")", count: 4096)] {
      #expect(ProcessStatus(text: Array(text.utf8)) == nil, "\(text)")
    }
    #expect(ProcessStatus(text: line("api", parent: "x")) == nil)
    #expect(ProcessStatus(text: line("api", start: "-1")) == nil)
    #expect(ProcessStatus(text: line("api", state: "Z"))?.hasEnded == true)
    #expect(ProcessStatus(of: 0x3fff_ffff) == nil)
  }

  /// The kernel's own lines, of programs whose files are named so.
  @Test(arguments: [") R 1 (x", "two words", "((("]) func ofRealProcesses(_ name: String) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "status-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let program = folder.appending(path: name)
    // By another process: children of this one must not have it open to write (ETXTBSY).
    let copy = try Process.run(URL(filePath: "/bin/cp"), arguments: ["/bin/cat", program.path])
    copy.waitUntilExit()
    try #require(copy.terminationStatus == 0)
    let child = Process()
    let (input, output) = (Pipe(), Pipe())
    (child.executableURL, child.standardInput, child.standardOutput) = (program, input, output)
    try child.run()
    // What comes back says that the program runs under its name.
    try input.fileHandleForWriting.write(contentsOf: Data("x".utf8))
    #expect(try output.fileHandleForReading.read(upToCount: 1) == Data("x".utf8))
    let status = try #require(ProcessStatus(of: child.processIdentifier))
    #expect(status.parent == getpid() && !status.hasEnded && status.startTicks > 0)
    try input.fileHandleForWriting.close()
    child.waitUntilExit()
    #expect(ProcessStatus(of: child.processIdentifier) == nil)
  }
}
