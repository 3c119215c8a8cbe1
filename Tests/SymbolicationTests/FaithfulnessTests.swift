import Foundation
import Testing

@testable import Symbolication

/// Our answers beside llvm-symbolizer's, for addresses all over the code of programs in several languages.
@Suite struct FaithfulnessTests {
  @Test(arguments: Fixture.all)
  func sameAsLLVMSymbolizer(_ fixture: Fixture) throws {
    try Tool.withFolder { folder in
      let program = try fixture.build(in: folder)
      let comparison = try Comparison(of: program, with: program)
      #expect(comparison.differences.isEmpty, "\(comparison.differences.prefix(5).joined(separator: "\n"))")
      // A comparison of nothings proves nothing.
      #expect(comparison.equalLines > comparison.addresses / 10)
      if fixture.command.contains("-O2") || fixture.command.contains("-O") { #expect(comparison.inlinedCalls > 50) }
    }
  }

  /// What llvm-symbolizer cannot read: it answers for the same program before the change.
  @Test(arguments: [["--compress-debug-sections=zlib-gnu"], ["--compress-debug-sections=zlib-gabi"]])
  func sameAsBefore(_ change: [String]) throws {
    try Tool.withFolder { folder in
      let program = try Fixture.cxx.build(in: folder)
      let changed = program + ".changed"
      _ = try Tool.run(["objcopy"] + change + [program, changed])
      let comparison = try Comparison(of: changed, with: program)
      #expect(comparison.differences.isEmpty, "\(comparison.differences.prefix(5).joined(separator: "\n"))")
      #expect(comparison.inlinedCalls > 50)
    }
  }
}

/// Compares chain by chain. Each kind of difference that is meant to be stands here with its reason.
private struct Comparison {
  private(set) var differences: [String] = []
  private(set) var equalLines = 0
  private(set) var inlinedCalls = 0
  let addresses = 2_000

  /// Our answers for one file, llvm-symbolizer's for another or the same.
  init(of file: String, with reference: String) throws {
    let sample = try CodeAddresses.sample(of: reference, count: addresses)
    let expected = try LLVMSymbolizer.frames(at: sample, in: reference)
    let found = try Answers(file, at: sample).lookups
    #expect(expected.count == found.count)
    for (index, address) in sample.enumerated() { compare(address, expected[index], found[index]) }
  }

  private mutating func compare(_ address: UInt64, _ frames: [LLVMSymbolizer.Frame], _ lookup: Lookup) {
    // Why the code trapped is not a call: it is reported apart.
    var frames = frames.filter { !$0.functionName.hasPrefix("Swift runtime failure: ") }
    // Padding between functions: no name, and no line that would help anybody.
    if frames.count == 1, frames[0].functionName.isEmpty, frames[0].line == 0 { frames = [] }
    let isEqual = frames.count == lookup.calls.count && zip(frames, lookup.calls).allSatisfy { isSame($0, $1) }
    guard isEqual else {
      differences.append("0x\(String(address, radix: 16)):\n  expected \(frames)\n  found \(lookup)")
      return
    }
    equalLines += frames.filter { $0.line != 0 }.count
    inlinedCalls += max(frames.count - 1, 0)
  }

  private func isSame(_ frame: LLVMSymbolizer.Frame, _ call: SymbolicatedCall) -> Bool {
    guard frame.functionName == call.mangledName ?? "" else { return false }
    // Line 0: we give the nearest line of the same function, marked as such, or none. Without debug information
    // llvm-symbolizer names the object file that a local symbol came from: that is no source file.
    if frame.line == 0 { return call.location.map { $0.isApproximate || $0.line == 0 } ?? true }
    guard let location = call.location, !location.isApproximate else { return false }
    return frame.fileName == location.path && frame.line == location.line && frame.column == location.column
  }
}

/// Addresses spread over `.text`, the same in every run.
enum CodeAddresses {
  static func sample(of file: String, count: Int) throws -> [UInt64] {
    let text = try #require(ELFFile(path: file)?.table(".text")?.header)
    var state: UInt64 = 88_172_645_463_325_252
    return (0..<count).map { _ in
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return text.sh_addr + state % text.sh_size
    }
  }
}

/// A file's own addresses, looked up as if it were mapped where it was linked to.
struct Answers {
  let lookups: [Lookup]
  let status: ImageStatus

  init(
    _ file: String, at addresses: [UInt64], kind: AddressKind = .programCounter, options: SymbolicationOptions = .init()
  ) throws {
    let elf = try #require(ELFFile(path: file))
    let image = ImageReference(
      name: URL(fileURLWithPath: file).lastPathComponent, path: file, buildID: elf.buildID,
      baseAddress: 0 &- elf.loadBias(baseAddress: 0))
    (lookups, status) = Symbolicator(options: options).symbolicate(
      addresses.map { (address: $0, kind: kind) }, in: image)
  }
}
