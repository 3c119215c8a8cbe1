import Foundation
import Testing

/// What the kernel tells a process about files by a signal: `crashsym` does not die of it.
@Suite(.timeLimit(.minutes(30))) struct FileSignalTests {
  private let scratch: Scratch
  private let program: String

  init() throws {
    scratch = try Scratch()
    program = try scratch.compile(
      "int one(void) { return 1; }\nint main(void) { return one(); }", to: "program", "-g", "-O0", "-no-pie")
  }

  private func address(of function: String) throws -> String {
    let symbols = try Command.run("nm", [program]).output.split(separator: "\n").map { $0.split(separator: " ") }
    return String(try #require(symbols.first { $0.last == function[...] })[0])
  }

  /// As a linker or `cp` does that writes the new file over the old one.
  @Test func aMappedFileIsCutShort() throws {
    let addresses = try ["main", "one"].map(address)
    let process = Process()
    let (input, output, errors) = (Pipe(), Pipe(), Pipe())
    process.executableURL = URL(filePath: Command.crashsym)
    process.arguments = ["lookup", "--no-cache", program]
    process.standardInput = input
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: Data("\(addresses[0])\n".utf8))
    #expect(String(decoding: output.fileHandleForReading.availableData, as: UTF8.self).contains("main"))
    #expect(truncate(program, 0) == 0)
    try input.fileHandleForWriting.write(contentsOf: Data("\(addresses[1])\n".utf8))
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    #expect(process.terminationReason == .exit)
    #expect(process.terminationStatus == 74)
    let told = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    #expect(told == "crashsym: a file was cut short while it was read\n")
  }

  @Test func outputBeyondTheLimitOfFiles() throws {
    let result = try Command.run(
      "sh",
      [
        "-c", "for i in $(seq 2000); do echo \"$2\"; done | { ulimit -f 1; exec \"$0\" lookup \"$1\" > \"$1.out\"; }",
        Command.crashsym, program, try address(of: "main"),
      ])
    #expect(result.status == 74)
    #expect(result.errors == "crashsym: cannot write: File too large: standard output\n")
  }

  /// A program that `run` starts has the signal as it would have without.
  @Test func startedProgramsStillDieOfTheSignal() throws {
    let result = try Command.run(
      "sh",
      [
        "-c", "ulimit -f 1; exec \"$0\" run -- dd if=/dev/zero of=\"$1\" bs=64k count=9", Command.crashsym,
        scratch.path("f"),
      ],
      environment: ["CRASHKIT_DIRECTORY": scratch.path("reports")])
    #expect(result.status == -SIGXFSZ)
  }
}
