import Foundation
import Testing

@testable import Symbolication

/// Files that are not what they should be: nothing may trap, hang or grow without bounds.
@Suite struct DamagedFileTests {
  @Test(arguments: [
    "/dev/zero", "/dev/stdin", "/proc", "/", "/dev/null", "", "no\0thing", "/proc/self/mem", "/proc/kcore",
    "/proc/version",
  ])
  func onlyRegularFilesAreOpened(_ path: String) {
    #expect(ELFFile(path: path) == nil)
  }

  @Test func pipeIsNotOpened() throws {
    try Tool.withFolder { folder in
      let pipe = folder.appendingPathComponent("pipe").path
      #expect(mkfifo(pipe, 0o600) == 0)
      #expect(ELFFile(path: pipe) == nil)
    }
  }

  @Test(arguments: [0, 1, 16, 64, 4_096])
  func aFileOfZerosIsNotAnImage(_ size: Int) throws {
    try Tool.withFolder { folder in
      let file = folder.appendingPathComponent("zeros")
      try Data(count: size).write(to: file)
      #expect(ELFFile(path: file.path) == nil)
    }
  }

  @Test(arguments: [Fixture.c, .cxxDWARF4, .compressed])
  func flippedBytes(_ fixture: Fixture) throws {
    try Tool.withFolder { folder in
      let program = try fixture.build(in: folder)
      let addresses = try CodeAddresses.sample(of: program, count: 100)
      let original = try Data(contentsOf: URL(fileURLWithPath: program))
      let damaged = folder.appendingPathComponent("damaged")
      var random = Random(seed: 42)
      for _ in 0..<300 {
        var bytes = original
        for _ in 0..<(1 + random.next(below: 40)) {
          bytes[random.next(below: bytes.count)] = UInt8(truncatingIfNeeded: random.next(below: 256))
        }
        try bytes.write(to: damaged)
        lookUp(addresses, in: damaged.path)
      }
    }
  }

  @Test func damageInDebugSections() throws {
    try Tool.withFolder { folder in
      let program = try Fixture.cxx.build(in: folder)
      let addresses = try CodeAddresses.sample(of: program, count: 100)
      let original = try Data(contentsOf: URL(fileURLWithPath: program))
      let elf = try #require(ELFFile(path: program))
      let damaged = folder.appendingPathComponent("damaged")
      var random = Random(seed: 7)
      for name in [
        ".debug_info", ".debug_abbrev", ".debug_line", ".debug_rnglists", ".debug_loclists", ".debug_line_str",
        ".symtab",
        ".text",
      ] {
        let section = elf.section(name)
        let start = try #require(elf.contents.offset(of: section))
        for _ in 0..<60 {
          var bytes = original
          for _ in 0..<(1 + random.next(below: 12)) {
            bytes[start + random.next(below: section.count)] = UInt8(truncatingIfNeeded: random.next(below: 256))
          }
          try bytes.write(to: damaged)
          lookUp(addresses, in: damaged.path)
        }
      }
    }
  }

  @Test func truncatedFiles() throws {
    try Tool.withFolder { folder in
      let program = try Fixture.c.build(in: folder)
      let addresses = try CodeAddresses.sample(of: program, count: 20)
      let original = try Data(contentsOf: URL(fileURLWithPath: program))
      let damaged = folder.appendingPathComponent("damaged")
      for length in stride(from: 0, to: original.count, by: max(original.count / 400, 1)) {
        try original.prefix(length).write(to: damaged)
        lookUp(addresses, in: damaged.path)
      }
    }
  }

  private func lookUp(_ addresses: [UInt64], in file: String) {
    let image = ImageReference(name: "damaged", path: file, baseAddress: 0)
    let answer = Symbolicator().symbolicate(addresses.map { ($0, .programCounter) }, in: image)
    #expect(answer.lookups.count == addresses.count)
    namePointers(addresses, in: image)
  }

  /// Asks for a name of every register, as if each had been used at an address.
  private func namePointers(_ addresses: [UInt64], in image: ImageReference) {
    let sources = SymbolSources(folders: SymbolFolders([]), debuginfod: nil)
    let reader = ImageReader(ImageFiles(image, SymbolicationOptions(debugDirectories: []), sources))
    guard let file = reader.files.file, let processor = Processor(machine: file.machine) else { return }
    for address in addresses.prefix(2) {
      let budget = EntryBudget()
      guard let function = reader.function(at: address, budget),
        var names = PointerNames(function, file, processor, budget)
      else { continue }
      for register in 0..<RegisterNumber(processor.registerCount) {
        guard let (named, _) = names.pointer(in: register, at: address), let pointee = named.pointee else { continue }
        for offset in [0, 8, 24, .max] as [UInt64] { _ = names.types.path(behind: pointee, at: offset) }
      }
    }
  }
}

extension Bytes {
  /// Where another run of bytes lies in this one.
  func offset(of other: Bytes) -> Int? {
    let distance = other.start - start
    return distance >= 0 && distance + other.count <= count ? distance : nil
  }
}

/// The same numbers in every run.
struct Random {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9e37_79b9_7f4a_7c15 | 1 }

  mutating func next(below limit: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(state % UInt64(limit))
  }
}
