import Foundation
import Testing

/// `crashsym lookup` on a small program.
@Suite(.timeLimit(.minutes(30))) struct LookupTests {
  private let scratch: Scratch
  private let program: String
  /// Where `add` was inlined into `main`.
  private let address: UInt64

  init() throws {
    scratch = try Scratch()
    program = try scratch.compile(
      """
      volatile int value;
      static inline int add(int more) {
        return value += more;
      }
      int main(int count, char **words) {
        return words[0] ? add(count) : 0;
      }
      """, to: "program", "-g", "-O2")
    address = try Self.address(of: "main", in: program) + 8
  }

  private static func address(of name: String, in program: String) throws -> UInt64 {
    let symbols = try Command.run("nm", [program]).output.split(separator: "\n").map { $0.split(separator: " ") }
    return try #require(symbols.first { $0.last == name[...] }.flatMap { UInt64($0[0], radix: 16) })
  }

  private func lookup(_ arguments: String..., input: String? = nil) throws -> Command.Result {
    try Command.run(Command.crashsym, ["lookup"] + arguments, input: input)
  }

  private func hex(_ address: UInt64) -> String { String(address, radix: 16) }

  private var text: String {
    "0x\(hex(address)): add at \(program).c:3:16\n (inlined by) main at \(program).c:6:21\n"
  }

  private func objects(_ output: String) throws -> [[String: Any]] {
    try output.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  @Test func showsTheChainOfInlinedCalls() throws {
    let result = try lookup(program, "0x" + hex(address), hex(address).uppercased())
    #expect(result.output == text + text)
    #expect(result.errors == "")
    #expect(result.status == 0)
  }

  /// A program's names may be anything: neither in answers nor in complaints do they reach a terminal as they are.
  @Test func namesAreHarmlessOnATerminal() throws {
    let marks = "\u{202E}\u{2028}\u{200B}\u{85}\u{1B}"
    let folder = scratch.folder.path(percentEncoded: false)
    let renamed = "\(folder)/a\(marks)b"
    try FileManager.default.copyItem(atPath: program, toPath: renamed)
    _ = try Command.run("strip", ["-g", renamed])
    _ = try Command.run("objcopy", ["--redefine-sym", "main=m\u{202E}\u{200B}n", renamed])
    let main = try Self.address(of: "main", in: program)
    let result = try lookup(renamed, hex(main))
    #expect(result.output == "0x\(hex(main)): m??n at ??:0\n")
    #expect(result.errors.contains("/a?????b\n"), "\(result.errors)")
    for scalar in (result.output + result.errors).unicodeScalars { #expect(scalar == "\n" || scalar.value >= 0x20) }
    let missing = try lookup("\(folder)/\(marks)none", "0")
    #expect(missing.errors.hasSuffix("/?????none\n"))
  }

  @Test func takesTheOptionsOfAddr2line() throws {
    #expect(try lookup("-Cfpi", "-e", program, hex(address)).output == text)
    let short = "0x\(hex(address)): add at program.c:3:16\n"
    #expect(try lookup("-as", "--no-inlines", "--exe", program, hex(address)).output == short)
  }

  @Test func namesInText() throws {
    let cxx = try scratch.write("namespace shop { int total(int a) { return a * 3; } }\nint main() {}\n", to: "n.cpp")
    let built = scratch.path("names")
    try #require(try Command.run("clang++", ["-g", cxx, "-o", built]).status == 0)
    let start = try Self.address(of: "_ZN4shop5totalEi", in: built)
    #expect(try lookup(built, hex(start)).output.hasPrefix("0x\(hex(start)): shop::total(int) at \(cxx):1"))
    #expect(try lookup("--mangled", built, hex(start)).output.hasPrefix("0x\(hex(start)): _ZN4shop5totalEi at "))
    let call = try #require(try calls(try lookup("--format", "json", built, hex(start)).output).first)
    #expect(call["FunctionName"] as? String == "_ZN4shop5totalEi")
    #expect(call["DemangledName"] as? String == "shop::total(int)")
  }

  private func calls(_ output: String) throws -> [[String: Any]] {
    try #require(try objects(output).first?["Symbol"] as? [[String: Any]])
  }

  @Test func jsonHasTheKeysOfLLVMSymbolizer() throws {
    let result = try lookup("--format", "json", program, hex(address))
    let object = try #require(try objects(result.output).first)
    #expect(object["Address"] as? String == "0x\(hex(address))")
    #expect(object["ModuleName"] as? String == program)
    let calls = try calls(result.output)
    #expect(calls.map { $0["FunctionName"] as? String } == ["add", "main"])
    #expect(calls.map { $0["FileName"] as? String } == ["\(program).c", "\(program).c"])
    #expect(calls.map { $0["Line"] as? Int } == [3, 6])
    #expect(calls.map { $0["Column"] as? Int } == [16, 21])
    #expect(calls[1]["StartAddress"] as? String == "0x\(hex(address - 8))")
  }

  @Test func lineZeroIsShownWithTheNearestLine() throws {
    let built = try scratch.compile(
      """
      volatile int value;
      int main(void) {
        value = 1;
      #line 0
        value = 2;
      #line 7
        value = 3;
        return 0;
      }
      """, to: "near", "-g", "-O0")
    let source = built + ".c"
    let start = try Self.address(of: "main", in: built)
    let body = (start..<start + 40).map { hex($0) }
    let json = try Command.run(Command.crashsym, ["lookup", "--format", "json", built] + body).output
    let calls = try objects(json).compactMap { ($0["Symbol"] as? [[String: Any]])?.first }
    let hole = try #require(calls.firstIndex { $0["Line"] as? Int == 0 })
    #expect(calls[hole]["FunctionName"] as? String == "main")
    #expect(calls[hole]["FileName"] as? String == source)
    #expect([3, 7].contains(calls[hole]["NearLine"] as? Int))
    #expect(calls[0]["NearLine"] == nil)
    let text = try lookup(built, body[hole]).output
    #expect(text.hasPrefix("0x\(body[hole]): main near \(source):"))
  }

  @Test func baseOfAddresses() throws {
    #expect(try lookup("--relative", program, hex(address)).output == text)
    let moved = try lookup("--load-address", "0x7f0000000000", program, hex(address + 0x7f00_0000_0000))
    #expect(moved.output.hasSuffix(text.split(separator: " ", maxSplits: 1)[1]))

    let fixed = try scratch.compile("int main(void) {\n  return 0;\n}\n", to: "fixed", "-g", "-no-pie")
    let start = try Self.address(of: "main", in: fixed)
    #expect(start >= 0x400000)
    #expect(try lookup(fixed, hex(start)).output == "0x\(hex(start)): main at \(fixed).c:1\n")
    let relative = try lookup("--relative", fixed, hex(start - 0x400000))
    #expect(relative.output == "0x\(hex(start - 0x400000)): main at \(fixed).c:1\n")
  }

  @Test func outsideOfEverything() throws {
    for address in ["0", "ffffffffffffffff"] {
      #expect(try lookup(program, address).output == "0x\(address): ?? ??:0\n")
      let calls = try calls(try lookup("--format", "json", program, address).output)
      #expect(calls.map { $0["FunctionName"] as? String } == [""])
    }
  }

  @Test func answersEachLineAsItComes() throws {
    let process = Process()
    process.executableURL = URL(filePath: Command.crashsym)
    process.arguments = ["lookup", program]
    let input = Pipe()
    let output = Pipe()
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    for _ in 0..<3 {
      try input.fileHandleForWriting.write(contentsOf: Data("\(hex(address))\n".utf8))
      var answer = Data()
      while answer.count < text.utf8.count { answer += output.fileHandleForReading.availableData }
      #expect(String(decoding: answer, as: UTF8.self) == text)
    }
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }

  @Test func linesWithFiles() throws {
    let result = try lookup(input: "\(program) \(hex(address))\r\n\n  \"\(program)\"\t0x\(hex(address))")
    #expect(result.output == text + text)
    #expect(result.status == 0)
  }

  @Test func aBadLineIsAnsweredAndTheRestGoesOn() throws {
    let result = try lookup(program, input: "zz\n\(hex(address))\n+12\n")
    #expect(result.output == "?? ??:0\n" + text + "?? ??:0\n")
    #expect(
      result.errors == "crashsym: not a hexadecimal address: zz\ncrashsym: not a hexadecimal address: +12\n")
    #expect(result.status == 65)

    let json = try lookup("--format", "json", input: "/none 12\n\(program) \(hex(address))\n12\n")
    let answers = try objects(json.output)
    #expect(
      answers.map { ($0["Error"] as? [String: String])?["Message"] } == [
        "no such file: /none", nil, "not a file followed by a hexadecimal address: 12",
      ])
    #expect(json.status == 66)
  }

  @Test func aLineWithoutEnd() throws {
    let result = try lookup(program, input: String(repeating: "1", count: 1 << 20))
    #expect(result.errors == "crashsym: a line of more than 64 KiB, not an address: \(program)\n")
    #expect(result.status == 65)
  }

  @Test func filesThatAreNoBinaries() throws {
    let whole = try Data(contentsOf: URL(filePath: program))
    func part(_ count: Int) throws -> String {
      try whole.prefix(count).write(to: URL(filePath: scratch.path("part\(count)")))
      return scratch.path("part\(count)")
    }
    let pipe = scratch.path("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let object = scratch.path("object.o")
    try #require(try Command.run("clang", ["-c", program + ".c", "-o", object]).status == 0)
    let bad: [(Int32, String, String)] = [
      (66, "no such file", scratch.path("none")), (66, "a folder, not a file", "/tmp"),
      (66, "a device, not a file", "/dev/zero"), (66, "a pipe, not a file", pipe),
      (65, "not an ELF file", program + ".c"), (65, "an empty file, not an ELF file", try part(0)),
      (65, "a truncated ELF file", try part(30)), (65, "a truncated ELF file", try part(whole.count - 1)),
      (65, "an object file, which has no final addresses before linking", object),
    ]
    for (status, what, path) in bad {
      let result = try lookup(path, "0x1")
      #expect(result.errors == "crashsym: \(what): \(path)\n")
      #expect(result.status == status)
      #expect(result.output == "")
    }
  }

  @Test func wrongUse() throws {
    for arguments in [["zz"], ["1", "--relative", "--load-address", "2"], ["--load-address", "x", "1"], ["-1"]] {
      #expect(try Command.run(Command.crashsym, ["lookup", program] + arguments).status == 64, "\(arguments)")
    }
  }
}
