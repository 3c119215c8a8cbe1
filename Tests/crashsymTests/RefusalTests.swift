import Foundation
import Testing

/// Programs into which nothing can be preloaded are refused with the reason and status 64.
@Suite struct RefusalTests {
  private static let source = "int main(void) { return 3; }\n"

  private let scratch = try! Scratch()

  private func refusal(_ program: String) throws -> String {
    let library = try scratch.compile("int crashkit_test_library;", to: "library.so", "-shared", "-fPIC")
    let result = try Command.crashsym("run", "--", program, environment: ["CRASHSYM_PRELOAD": library])
    return "\(result.status) \(result.errors.replacing(scratch.folder.path(), with: ""))"
  }

  @Test func staticPrograms() throws {
    let program = try scratch.compile(Self.source, to: "static", "-static")
    let pie = try scratch.compile(Self.source, to: "static-pie", "-static-pie", "-fuse-ld=lld")
    #expect(try refusal(program) == "64 crashsym: statically linked, so no library can be preloaded: /static\n")
    #expect(try refusal(pie) == "64 crashsym: statically linked, so no library can be preloaded: /static-pie\n")
    let script = try scratch.write("#! \(program) -x\n", to: "script", mode: 0o755)
    #expect(try refusal(script) == "64 crashsym: statically linked, so no library can be preloaded: /static\n")
  }

  @Test func privilegedPrograms() throws {
    let program = try scratch.compile(Self.source, to: "prog")
    chmod(program, 0o4755)
    #expect(try refusal(program) == "64 crashsym: setuid, so the loader ignores preloaded libraries: /prog\n")
    chmod(program, 0o2755)
    #expect(try refusal(program) == "64 crashsym: setgid, so the loader ignores preloaded libraries: /prog\n")
  }

  @Test(.enabled(if: getuid() == 0, "only root can give a file capabilities"))
  func programsWithCapabilities() throws {
    let program = try scratch.compile(Self.source, to: "prog")
    // cap_net_raw, permitted and effective, in the kernel's form (version 2).
    let value: [UInt8] = [1, 0, 0, 2, 0, 0x20] + [UInt8](repeating: 0, count: 14)
    let hex = value.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    let script = "import os, sys; os.setxattr(sys.argv[1], 'security.capability', bytes.fromhex(sys.argv[2]))"
    #expect(try Command.run("python3", ["-c", script, program, hex]).status == 0)
    #expect(
      try refusal(program)
        == "64 crashsym: has file capabilities, so the loader ignores preloaded libraries: /prog\n")
  }

  @Test func otherLibrariesAndMachines() throws {
    let musl = try scratch.compile(
      Self.source, to: "musl", "-Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1")
    #expect(
      try refusal(musl) == "64 crashsym: uses another C library (loader /lib/ld-musl-x86_64.so.1): /musl\n")
    var bytes = try Data(contentsOf: URL(filePath: musl))
    bytes[18] = 8
    try bytes.write(to: URL(filePath: scratch.path("mips")))
    chmod(scratch.path("mips"), 0o755)
    #expect(
      try refusal(scratch.path("mips"))
        == "64 crashsym: built for another architecture (ELF machine 8, 64 bits): /mips\n")
  }

  @Test func aDamagedHeaderIsLeftToTheKernel() throws {
    let program = try scratch.compile(Self.source, to: "prog")
    var bytes = try Data(contentsOf: URL(filePath: program))
    bytes.replaceSubrange(32..<40, with: [UInt8](repeating: 0xFF, count: 8))
    try bytes.write(to: URL(filePath: program))
    #expect(try refusal(program) == "64 crashsym: statically linked, so no library can be preloaded: /prog\n")
  }
}
