import Foundation
import Testing

@testable import Symbolication

/// Decoded instructions are those of objdump: as long, and with the same memory.
@Suite struct InstructionTests {
  private static let objdump = ["objdump", "llvm-objdump"].first { Tool.path(of: $0) != nil }

  private struct Line {
    var address: UInt64
    var text: String
  }

  private func lines(_ program: String) throws -> [Line] {
    let objdump = try #require(Self.objdump)
    let output = try Tool.run([objdump, "-d", "-j", ".text", "--no-show-raw-insn", program])
    return output.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2, line.first == " ",
        let address = UInt64(parts[0].trimmingCharacters(in: .whitespaces), radix: 16)
      else { return nil }
      return Line(address: address, text: String(parts[1]).trimmingCharacters(in: .whitespaces))
    }
  }

  @Test(.enabled(if: objdump != nil, "there is no objdump here"), arguments: Fixture.all)
  func lengthsAreThoseOfObjdump(_ fixture: Fixture) throws {
    try Tool.withFolder { folder in
      let program = try fixture.build(in: folder)
      let file = try #require(ELFFile(path: program))
      let processor = try #require(Processor(machine: file.machine))
      let lines = try lines(program)
      try #require(lines.count > 100)
      for (line, next) in zip(lines, lines.dropFirst()) {
        // What the linker fills gaps with: objdump leaves out most of the zeros.
        guard !line.text.contains("nop"), line.text != "add    %al,(%rax)" else { continue }
        let code = try #require(file.code(at: line.address))
        let instruction = try #require(processor.decode(code, line.address), "\(line)")
        #expect(line.address + instruction.length == next.address, "\(line)")
        if file.machine == 62 { expectMemory(of: instruction, line) }
      }
    }
  }

  /// In the syntax of AT&T: `0x18(%rax,%rcx,8)`.
  private func expectMemory(of instruction: Instruction, _ line: Line) {
    let pattern = /(?<sign>-?)(?:0x(?<distance>[0-9a-f]+))?\((?<base>%r\w+)?(?:,(?<index>%r\w+),(?<scale>[1248]))?\)/
    guard !line.text.contains("%fs"), !line.text.contains("lea"), !line.text.contains("%rip"),
      !line.text.contains("(bad)"), let match = line.text.firstMatch(of: pattern), !line.text.contains(") ,"),
      instruction.memory.count < 2
    else { return }
    func number(_ name: Substring?) -> RegisterNumber? {
      name.flatMap { name in
        Processor.x86.names.firstIndex { $0[0] == name.dropFirst() }.map { RegisterNumber($0) }
      }
    }
    let distance = match.distance.flatMap { UInt64($0, radix: 16) } ?? 0
    let expected = MemoryOperand(
      base: number(match.base), index: number(match.index), scale: match.scale.flatMap { UInt64($0) } ?? 1,
      displacement: Int64(truncatingIfNeeded: match.sign.isEmpty ? distance : 0 &- distance))
    #expect(instruction.memory == [expected], "\(line)")
  }

  /// Bytes that are no instruction, and those that end too early.
  @Test func anyBytesAreTaken() {
    var random = Random(seed: 11)
    for length in 0..<16 {
      for _ in 0..<200 {
        let bytes = (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next(below: 256)) }
        bytes.withUnsafeBytes { buffer in
          let code = Bytes(buffer.baseAddress, count: length)
          for processor in [Processor.x86, .arm] {
            guard let instruction = processor.decode(code, .max - 4) else { continue }
            #expect(instruction.length > 0 && instruction.length <= UInt64(length))
          }
        }
      }
    }
  }
}
