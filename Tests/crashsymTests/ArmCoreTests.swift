import CrashReportModel
import Foundation
import Testing

/// Core files of AArch64. Tests/Aarch64/Cores/make.py made them in an emulated machine, and asked gdb for their stacks.
@Suite(.timeLimit(.minutes(30))) struct ArmCoreTests {
  private static let folder = Command.fixture("Aarch64/Cores")
  private static let stacks = try! JSONDecoder().decode(
    [String: [String: [UInt64]]].self, from: Data(contentsOf: URL(filePath: "\(folder)/stacks.json")))
  private static let names = stacks.keys.sorted()
  /// So many frames gdb was asked for at most.
  private static let most = 250

  /// Of the thread that crashed in `threads`.
  private static let functions = ["read_at", "read_at", "read_at", "read_at", "begin", "_start"]

  private let scratch = try! Scratch()

  private func report(_ name: String, symbols: [String] = [folder]) throws -> CrashReport {
    try report(at: "\(Self.folder)/\(name).core.zst", symbols: symbols)
  }

  private func report(at path: String, symbols: [String] = [folder]) throws -> CrashReport {
    let folders = symbols.flatMap { ["--symbols", $0] }
    let result = try Command.run(Command.crashsym, ["--format", "json", path] + folders)
    try #require(result.status == 0, "\(result.errors)")
    return CrashReport(fields: try JSONParser.parse(Array(result.output.utf8)).object)
  }

  private func addresses(_ thread: CrashReport.Thread) -> [UInt64] {
    let frames: [CrashReport.Frame] = thread.frames ?? []
    return frames.filter { $0.isInlined != true && $0.kind != .omittedFrames }.compactMap { $0.address?.value }
  }

  private func core(_ name: String) throws -> String {
    let result = try Command.run("zstd", ["-q", "-d", "\(Self.folder)/\(name).core.zst", "-o", scratch.path(name)])
    try #require(result.status == 0, "\(result.errors)")
    return scratch.path(name)
  }

  @Test(arguments: names) func framesAreThoseOfGdb(_ name: String) throws {
    let report = try report(name)
    let expected = try #require(Self.stacks[name])
    #expect(report.architecture == "arm64")
    #expect(report.threads?.count == expected.count)
    for thread in report.threads ?? [] {
      let theirs = try #require(expected[String(thread.id ?? 0)])
      // After a return to a bad address, gdb goes on with what the link register has, or guesses.
      let isReturn = name.hasPrefix("smashed")
      #expect(Array(addresses(thread).prefix(Self.most)) == (isReturn ? [theirs[0]] : theirs))
      #expect(thread.stackEnd == (isReturn ? "no binary at 0x\(String(theirs[0], radix: 16))" : "entry"))
      #expect(thread.unwoundBy == (name == "without-tables" ? "mixed" : "cfi"))
    }
  }

  @Test func functionsHaveNamesAndLines() throws {
    let frames = try #require(try report("threads").threads?.first?.frames)
    #expect(frames.map(\.symbol) == Self.functions)
    #expect(frames.prefix(4).allSatisfy { $0.sourceLocation?.file?.hasSuffix("victim.c") == true })
  }

  /// The function's parameter is a constant in its code: the register alone is certain.
  @Test func theRegisterOfAPointerNearZero() throws {
    let pointer = try #require(try report("threads").fault?.pointer)
    #expect(pointer.register == "x8" && pointer.value?.value == 8 && pointer.offset == 0)
    #expect(pointer.name == nil && pointer.member == nil)
  }

  /// A report has addresses as they stood in memory; some are signed.
  @Test func framesOfReportsHaveNoSignatures() throws {
    var report = try report("threads")
    let addresses = report.threads?.map(addresses)
    report = report.mappingStacks { frames in
      frames.map { frame in
        var frame = frame
        for key in ["symbol", "offset", "description", "sourceLocation"] { frame.fields[key] = nil }
        if frame.kind == .returnAddress { frame.address = frame.address.map { Address($0.value | 0x004c << 48) } }
        return frame
      }
    }
    let again = try self.report(at: scratch.write(report.fields.json.text, to: "signed.json"))
    #expect(again.threads?.map(self.addresses) == addresses)
    #expect(again.threads?.first?.frames?.map(\.symbol) == Self.functions)
  }

  /// The wrong signature left its mark in the program counter: no function of the program ran there.
  @Test func aReturnToCodeWithAWrongSignatureIsInNoFunction() throws {
    let report = try report("smashed-to-code")
    let again = try self.report(at: scratch.write(report.fields.json.text, to: "again.json"))
    for shown in [report, again] {
      let frames = try #require(shown.threads?.first?.frames)
      #expect(frames.map(\.symbol) == [nil])
      #expect(frames.first?.address.map { $0.value >> 36 } == 1 << 17)
    }
  }

  /// `retaa` leaves the link register as it was. Not even the mask of signatures may be there.
  @Test(arguments: [UInt64(0), 0x007f << 48]) func aReturnThatChecksItsSignatureIsNoCall(_ mask: UInt64) throws {
    let path = try core("smashed-to-code")
    let address = try #require(Self.stacks["smashed-to-code"]?.values.first?.first)
    var bytes = try Data(contentsOf: URL(filePath: path))
    // The link register stands two words before the program counter.
    var place = bytes.startIndex
    while let found = bytes.range(of: Self.bytes(of: address), in: place..<bytes.endIndex) {
      place = found.upperBound
      let link = (found.lowerBound - 16)..<(found.lowerBound - 8)
      if bytes[link] == Self.bytes(of: address) {
        bytes.replaceSubrange(link, with: Self.bytes(of: address & ~(1 << 53)))
      }
    }
    setMask(mask, in: &bytes)
    try bytes.write(to: URL(filePath: path))
    #expect(try report(at: path).threads?.map(addresses) == [[address]])
  }

  /// What leads into an image without bits that another image's address needs is no signed address.
  @Test func addressesThatAreTooLargeForAnImageAreNotSigned() throws {
    var report = try report("threads")
    report = report.mappingStacks { frames in
      frames.map { frame in
        var frame = frame
        if frame.kind == .returnAddress { frame.address = frame.address.map { Address($0.value | 0xfff << 36) } }
        return frame
      }
    }
    for base in [nil, UInt64(0xffff_0000_0000)] {
      var changed = report
      if let base {
        var image = try #require(changed.images?.first)
        (image.baseAddress, image.endOfText, image.name) = (Address(base), Address(base + 1), "high")
        changed.images?.append(image)
      } else {
        changed.images?.removeAll { ($0.baseAddress?.value ?? 0) >> 36 != 0 }
      }
      let shown = try self.report(at: scratch.write(changed.fields.json.text, to: "high.json"))
      #expect(shown.threads?.first?.frames?.last?.address.map { $0.value >> 36 } == (base == nil ? 0 : 0xfff))
    }
  }

  /// An image without a build ID may have the name of a file of this machine.
  @Test func filesForAnotherProcessorAreNotTaken() throws {
    let program = try scratch.compile("int main(void) { return 0; }", to: "victim", "-g", "-Wl,--build-id=none")
    var report = try report("threads", symbols: [])
    report.images = report.images?.map { image in
      var image = image
      if image.name == "victim" { (image.buildID, image.path) = (nil, program) }
      return image
    }
    for (architecture, status) in [("arm64", "missing"), ("x86_64", "there")] {
      report.architecture = architecture
      let shown = try self.report(at: scratch.write(report.fields.json.text, to: "\(status).json"), symbols: [])
      let isMissing = shown.symbolication?.missingImages?.contains { $0.name == "victim" } ?? false
      #expect(isMissing == (status == "missing"))
    }
    let core = try core("threads")
    let refused = try Command.run(Command.crashsym, ["--executable", program, core])
    #expect(
      refused.status == 65 && refused.errors.contains("is not for the processor of the program that ran"),
      "\(refused)")
  }

  /// What a handler interrupted did not call it: its address is looked up as it is.
  @Test func framesOfASignal() throws {
    let thread = try #require(try report("handler").threads?.first)
    let kinds = thread.frames?.map(\.kind)
    let call = CrashReport.Frame.Kind.returnAddress
    #expect(kinds == [.programCounter, call, call, .programCounter, call, call, call, call])
    #expect(thread.frames?[0].symbol == "give_up")
    #expect(thread.frames?[3].symbol == "read_at")
  }

  /// Without the program's tables the stack pointer is not known where a handler returns to. The kernel's record is.
  @Test func framesOfASignalWithoutTheProgram() throws {
    let thread = try #require(try report("handler", symbols: []).threads?.first)
    let expected = try #require(Self.stacks["handler"]?.values.first)
    let found = addresses(thread)
    let signalReturn = try #require(found.firstIndex(of: expected[2]))
    #expect(found[signalReturn + 1] == expected[3])
    #expect(thread.frames?[signalReturn + 1].kind == .programCounter)
  }

  /// By the link register where nothing was put on the stack yet, by a frame record where it was.
  @Test func codeWithoutTables() throws {
    let thread = try #require(try report("without-tables").threads?.first)
    #expect(
      thread.frames?.map(\.symbol) == ["leaf_without_tables", "middle", "without_tables", "begin", "_start"])
    #expect(thread.frames?.map { $0.byFramePointer ?? false } == [false, true, false, true, false])
  }

  @Test func registersHaveTheirNames() throws {
    let names = (0...30).map { "x\($0)" } + ["sp", "pc", "pstate"]
    #expect(try report("threads").threads?.first?.registers?.members.map(\.key) == names)
    let text = try Command.crashsym("--symbols", Self.folder, "\(Self.folder)/threads.core.zst").output
    let shown = text.split(separator: "Registers").last?.split(whereSeparator: { " \n".contains($0) }).map(String.init)
    #expect(names.filter { shown?.contains($0) != true } == [])
  }

  /// The debug file has the build ID too, and comes first: it has no unwind tables.
  @Test func aStoreOfDebugFilesDoesNotHideTheProgram() throws {
    let store = scratch.path("store")
    let added = try Command.crashsym("symbols", "add", "\(Self.folder)/victim", "--to", store)
    try #require(added.status == 0, "\(added.errors)")
    let threads = try report("threads", symbols: [store, Self.folder]).threads
    #expect(threads?.map(addresses) == (try report("threads").threads?.map(addresses)))
    #expect(threads?.allSatisfy { $0.unwoundBy == "cfi" && $0.stackEnd == "entry" } == true)
  }

  /// Without the program, frame records and the link register are all there is.
  @Test func withoutTheProgram() throws {
    let thread = try #require(try report("without-tables", symbols: []).threads?.first)
    let found = addresses(thread)
    #expect(found.count > 2)
    #expect(Set(found).isSubset(of: try #require(Self.stacks["without-tables"]?.values.first)))
    #expect(thread.stackEnd == "the file of victim, which contains the unwind tables, was not found")
  }

  /// The note that says where signatures stand is the core's word, and may be any.
  @Test(arguments: [UInt64(0), 1, 0xff, .max, 1 << 63, 0x007f_0000_0000_0fff, 0xffff_ffff_ffff_0000])
  func anyMask(_ mask: UInt64) throws {
    let path = try core("threads")
    var bytes = try Data(contentsOf: URL(filePath: path))
    #expect(setMask(mask, in: &bytes) == 3)
    try bytes.write(to: URL(filePath: path))
    let threads = try #require(try report(at: path).threads)
    #expect(threads.count == 3)
    let expected = Self.stacks["threads"]
    // Nothing shows where a thread's entry is, if it was signed in bits that the mask lacks.
    let isWhole = mask == 0 || mask >> 48 & 0x7f == 0x7f
    for thread in threads where isWhole { #expect(addresses(thread) == expected?[String(thread.id ?? 0)]) }
    #expect(threads.allSatisfy { addresses($0).count > 1 })
  }

  /// What a signal interrupted is made the code that the handler returns to, at the same place of the stack.
  @Test func aSignalThatInterruptedItself() throws {
    let path = try core("handler")
    var bytes = try Data(contentsOf: URL(filePath: path))
    let frames = try #require(Self.stacks["handler"]?.values.first)
    let place = try #require(bytes.range(of: Self.bytes(of: frames[3]))).lowerBound
    // The program counter follows the stack pointer, and that 31 registers, which are 312 bytes into the frame.
    let start = try #require(Self.address(of: place, in: bytes)) - 312 - 32 * 8
    bytes.replaceSubrange((place - 8)..<(place + 8), with: Self.bytes(of: start) + Self.bytes(of: frames[2]))
    try bytes.write(to: URL(filePath: path))
    let thread = try #require(try report(at: path).threads?.first)
    #expect(thread.stackEnd == "the stack goes round in a circle")
    #expect(addresses(thread) == Array(frames.prefix(3)))
  }

  /// Writes another mask into each NT_ARM_PAC_MASK; returns how many there are.
  @discardableResult private func setMask(_ mask: UInt64, in bytes: inout Data) -> Int {
    let head = Data("LINUX\0\0\0".utf8)
    var notes = 0
    var place = bytes.startIndex
    while let found = bytes.range(of: head, in: place..<bytes.endIndex) {
      place = found.upperBound
      guard bytes[found.lowerBound - 4] == 0x06, bytes[found.lowerBound - 3] == 0x04 else { continue }
      bytes.replaceSubrange((place + 8)..<(place + 16), with: Self.bytes(of: mask))
      notes += 1
    }
    return notes
  }

  private static func bytes(of value: UInt64) -> Data { withUnsafeBytes(of: value.littleEndian) { Data($0) } }

  /// The address of what a core has at an offset.
  private static func address(of offset: Int, in core: Data) -> UInt64? {
    func value(_ place: Int) -> UInt64 { core[place..<(place + 8)].reversed().reduce(0) { $0 << 8 | UInt64($1) } }
    let headers = (0..<Int(core[56])).map { Int(value(32)) + 56 * $0 }
    let header = headers.first { core[$0] == 1 && value($0 + 8) <= offset && offset < value($0 + 8) + value($0 + 32) }
    return header.map { value($0 + 16) + UInt64(offset) - value($0 + 8) }
  }

  @Test(arguments: ["threads", "handler", "overflow"]) func aCutCoreIsReadOrRefused(_ name: String) throws {
    let whole = try Data(contentsOf: URL(filePath: core(name)))
    let cut = scratch.path("cut")
    for count in [64, 200, 1_000, 2_000, 3_000, 4_096, 9_000] + (1..<8).map({ whole.count * $0 / 8 }) {
      try whole.prefix(count).write(to: URL(filePath: cut))
      let result = try Command.crashsym("--symbols", Self.folder, cut)
      #expect([0, 65].contains(result.status), "\(count)")
      #expect(result.errors.split(separator: "\n").count == (result.status == 0 ? 0 : 1), "\(count)")
    }
  }
}
