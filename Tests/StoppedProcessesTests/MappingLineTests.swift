import Testing

@testable import StoppedProcesses

@Suite struct MappingLineTests {
  @Test func linesAreRead() throws {
    let text = """
      55d0c0000000-55d0c0002000 r-xp 0000a000 fe:00 1234                       /srv/a program (deleted)
      7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0                          [stack]
      7f0000000000-7f0000001000 ---s 00000000 00:01 77
      no line
      7f0000001000-7f0000001000 rw-p 00000000 00:00 0
      """
    let lines = MappingLine.all(in: Array(text.utf8))
    try #require(lines.count == 3)
    #expect(lines[0].start == 0x55d0_c000_0000 && lines[0].end == 0x55d0_c000_2000 && lines[0].size == 0x2000)
    #expect(lines[0].isReadable && !lines[0].isWritable && lines[0].isExecutable && lines[0].isPrivate)
    #expect(lines[0].fileOffset == 0xa000 && lines[0].inode == 1234)
    #expect(lines[0].name == "/srv/a program (deleted)" && lines[0].isFile)
    #expect(lines[1].name == "[stack]" && !lines[1].isFile && lines[1].isWritable && !lines[1].isExecutable)
    #expect(lines[2].name.isEmpty && !lines[2].isReadable && !lines[2].isPrivate && lines[2].inode == 77)
  }
}
