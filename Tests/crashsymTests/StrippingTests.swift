import CLinuxCalls
import Foundation
import Testing

/// `crashsym symbols add --strip`: a file is replaced whole, as it was in all else, or not at all.
@Suite(.serialized, .timeLimit(.minutes(30))) struct StrippingTests {
  private let scratch: Scratch
  private let filed: FiledProgram

  init() throws {
    scratch = try Scratch()
    filed = try FiledProgram(scratch)
  }

  private func strip() throws -> Command.Result {
    try Command.run(
      Command.crashsym, ["symbols", "add", "--strip", "--to", scratch.path("store"), filed.program])
  }

  private func status(_ path: String) -> stat {
    var result = stat()
    lstat(path, &result)
    return result
  }

  private func expectRefused(_ what: String, at location: SourceLocation = #_sourceLocation) throws {
    let before = status(filed.program)
    let result = try strip()
    #expect(result.status == 65, sourceLocation: location)
    #expect(result.errors == "crashsym: \(what): \(filed.program)\n", sourceLocation: location)
    #expect(status(filed.program).st_ino == before.st_ino, sourceLocation: location)
    #expect(status(filed.program).st_size == before.st_size, sourceLocation: location)
  }

  @Test func modeAndAttributesAreKept() throws {
    #expect(chmod(filed.program, 0o4751) == 0)
    let value = Array("kept".utf8)
    try #require(setxattr(filed.program, "user.crashsym.test", value, value.count, 0) == 0)
    let before = status(filed.program)
    #expect(try strip().status == 0)
    let after = status(filed.program)
    #expect(after.st_mode == before.st_mode)
    #expect(after.st_uid == before.st_uid && after.st_gid == before.st_gid)
    #expect(after.st_ino != before.st_ino)
    var found = [UInt8](repeating: 0, count: 16)
    #expect(getxattr(filed.program, "user.crashsym.test", &found, 16) == 4)
    #expect(found[..<4] == value[...])
  }

  @Test(.enabled(if: geteuid() == 0)) func ownerAndCapabilitiesAreKept() throws {
    #expect(chown(filed.program, 1234, 4321) == 0)
    // cap_net_raw+ep, as setcap(8) writes it.
    let capability: [UInt8] = [1, 0, 0, 2, 0, 0x20, 0, 0] + [UInt8](repeating: 0, count: 12)
    try #require(setxattr(filed.program, "security.capability", capability, 20, 0) == 0)
    #expect(try strip().status == 0)
    #expect(status(filed.program).st_uid == 1234 && status(filed.program).st_gid == 4321)
    var found = [UInt8](repeating: 0, count: 32)
    #expect(getxattr(filed.program, "security.capability", &found, 32) == 20)
    #expect(found[..<20] == capability[...])
  }

  @Test func aLinkStaysOne() throws {
    let real = scratch.path("real")
    try FileManager.default.moveItem(atPath: filed.program, toPath: real)
    try FileManager.default.createSymbolicLink(atPath: filed.program, withDestinationPath: "real")
    #expect(try strip().status == 0)
    #expect(status(filed.program).st_mode & S_IFMT == S_IFLNK)
    #expect(status(real).st_size < status(filed.original).st_size)
  }

  @Test func hardLinksAreRefused() throws {
    try FileManager.default.linkItem(atPath: filed.program, toPath: scratch.path("other-name"))
    try expectRefused("has 2 names (hard links), so crashsym does not strip it")
  }

  @Test func aFileThatIsBeingWrittenIsRefused() throws {
    // In another process: children of this one would hold the file open for a moment longer.
    let writer = Process()
    let (input, output) = (Pipe(), Pipe())
    writer.executableURL = URL(filePath: "/bin/sh")
    writer.arguments = ["-c", "exec 3>>\"$0\"; echo open; read line", filed.program]
    writer.standardInput = input
    writer.standardOutput = output
    try writer.run()
    #expect(output.fileHandleForReading.availableData == Data("open\n".utf8))
    try expectRefused("is being written, so it is not stripped")
    try input.fileHandleForWriting.close()
    writer.waitUntilExit()
    #expect(try strip().status == 0)
  }

  @Test func dataBehindTheSectionsIsRefused() throws {
    let appended = try Command.run("sh", ["-c", "head -c 100 /dev/zero >> \"$0\"", filed.program])
    try #require(appended.status == 0)
    try expectRefused("has 100 bytes after its last section, and stripping would remove them")
  }

  @Test func theStoreIsNotWritable() throws {
    _ = try scratch.write("a file", to: "store")
    let result = try strip()
    #expect(result.status == 74)
    #expect(FileManager.default.contentsEqual(atPath: filed.program, andPath: filed.original))
  }

  @Test func strippingAgainChangesNothing() throws {
    #expect(try strip().status == 0)
    let before = status(filed.program)
    let again = try strip()
    // The store has its debug information, so nothing is missing.
    #expect(again.status == 0)
    #expect(again.errors == "")
    #expect(status(filed.program).st_ino == before.st_ino)
  }

  /// The program runs all the while: each start sees the whole old or the whole new one.
  @Test func aRunningProgramGoesOn() throws {
    for _ in 0..<5 {
      try FileManager.default.removeItem(atPath: filed.program)
      try #require(try Command.run("cp", [filed.original, filed.program]).status == 0)
      let stripping = Process()
      stripping.executableURL = URL(filePath: Command.crashsym)
      stripping.arguments = ["symbols", "add", "--strip", "--to", scratch.path("store"), filed.program]
      stripping.standardOutput = FileHandle.nullDevice
      try stripping.run()
      while stripping.isRunning { #expect(try Command.run(filed.program).output.hasSuffix("12\n")) }
      #expect(stripping.terminationStatus == 0)
    }
    let left = try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path())
    #expect(!left.contains { $0.hasPrefix(".crashsym-") })
  }

  /// Many processes file the same and other builds at a time.
  @Test func manyProcessesAtOnce() throws {
    let programs = try (0..<3).map { number in
      let path = scratch.path("build\(number)")
      try #require(
        try Command.run(
          "g++",
          [
            "-O2", "-g", "-DNUMBER=\(number)", "-Wl,--build-id=0xabcd0\(number)00", scratch.path("program.cpp"),
            "-o", path,
          ]
        ).status == 0)
      return path
    }
    // A poorer file of the first build: it must not win.
    let poor = scratch.path("poor")
    _ = try Command.run("strip", ["-g", programs[0], "-o", poor])
    let processes = try (0..<16).map { number in
      let process = Process()
      process.executableURL = URL(filePath: Command.crashsym)
      let file = number % 4 == 3 ? poor : programs[number % 4]
      process.arguments = ["symbols", "add", "--to", scratch.path("store"), file]
      process.standardOutput = FileHandle.nullDevice
      try process.run()
      return process
    }
    for process in processes {
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
    }
    let folder = scratch.path("store/.build-id/ab")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    #expect(names == ["cd0000.debug", "cd0100.debug", "cd0200.debug"])
    for (program, name) in zip(programs, names) {
      #expect(try filed.lookup("\(folder)/\(name)") == filed.lookup(program))
    }
  }
}
