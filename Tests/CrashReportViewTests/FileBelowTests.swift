import Foundation
import Testing

@testable import CrashReportView

/// No way to a file leaves the folder that it begins in.
@Suite final class FileBelowTests {
  private let outside = FileManager.default.temporaryDirectory.appending(path: "below-\(UUID().uuidString)")
  private var folder: URL { outside.appending(path: "folder") }

  private var held: AllowedFolder { .at(folder.path()) }

  init() throws {
    try FileManager.default.createDirectory(
      at: folder.appending(path: "sub"), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    try write("secret\n", outside.appending(path: "secret"))
    try write("source\n", folder.appending(path: "sub/source"))
  }

  deinit { try? FileManager.default.removeItem(at: outside) }

  private func write(_ text: String, _ file: URL, mode: Int = 0o644) throws {
    try? FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path(percentEncoded: false))
  }

  private func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: folder.appending(path: name).path(), withDestinationPath: target)
  }

  private func text(_ path: String...) -> String? {
    FileBelow(path, below: held).flatMap { $0.read(atMost: 1 << 20) }.map {
      String(decoding: $0.bytes, as: UTF8.self)
    }
  }

  @Test func linksThatStayInsideAreFollowed() throws {
    try link("file", to: "sub/source")
    try link("sub/up", to: "../sub/../file")
    try link("folder", to: "./sub")
    #expect(text("sub", "source") == "source\n")
    #expect(text("file") == "source\n")
    #expect(text("folder", "up") == "source\n")
  }

  @Test func noLinkLeadsOutOfTheFolder() throws {
    try link("up", to: "../secret")
    try link("far", to: "sub/../../secret")
    try link("absolute", to: outside.appending(path: "secret").path())
    try link("folder", to: "..")
    // Where it begins is inside; the way there still goes by the outside.
    try link("around", to: "../folder/sub/source")
    for path in [
      ["up"], ["far"], ["absolute"], ["folder", "secret"], ["around"], ["..", "secret"], ["sub", "..", "..", "secret"],
    ] {
      #expect(FileBelow(path, below: held) == nil, "\(path)")
    }
  }

  @Test func aPartIsOneName() throws {
    try link("folder", to: "..")
    // A slash and an accent behind it are one character of Swift's.
    for part in ["folder/secret", "folder/\u{301}/../secret", "sub/source", "", "sub\u{0}/source"] {
      #expect(FileBelow([part], below: held) == nil, "\(part)")
    }
    let path = try #require(SourcePath("/a/\u{301}../folder/secret"))
    #expect(path.parts == ["a", "\u{301}..", "folder", "secret"])
  }

  @Test func circlesEnd() throws {
    try link("circle", to: "circle")
    try link("sub/deep", to: "../sub/deep/x")
    #expect(text("circle") == nil)
    #expect(text("sub", "deep") == nil)
  }

  @Test func foldersPipesAndDevicesAreNotOpened() throws {
    let pipe = folder.appending(path: "pipe").path()
    #expect(mkfifo(pipe, 0o644) == 0)
    #expect(FileBelow(["pipe"], below: held) == nil)
    #expect(FileBelow(["sub"], below: held) == nil)
    #expect(FileBelow(["sub", "source", "x"], below: held) == nil)
    for path in [["zero"], ["null"], ["stdin"], ["fd", "0"]] {
      #expect(FileBelow(path, below: .at("/dev")) == nil, "\(path)")
    }
    for path in ["environ", "maps", "status"] {
      #expect(FileBelow([path], below: .at("/proc/self"))?.read(atMost: 1 << 20) == nil, "\(path)")
    }
  }

  @Test func hiddenFilesAreNotSources() throws {
    try write("a\n", folder.appending(path: ".env"))
    try write("a\n", folder.appending(path: ".git/config"))
    try write("a\n", folder.appending(path: ".\u{301}x"))
    try write("a\n", folder.appending(path: ".build/made.swift"))
    try link("shown", to: ".env")
    for path in [[".env"], [".git", "config"], [".\u{301}x"], ["shown"], [".build", ".secret"]] {
      #expect(FileBelow(path, below: held) == nil, "\(path)")
    }
    #expect(text(".build", "made.swift") == "a\n")
  }

  @Test func onlyFilesThatAllMayReadAreShownToAll() throws {
    func isForAll(_ path: String...) throws -> Bool { try #require(FileBelow(path, below: held)).isForAll }
    #expect(try isForAll("sub", "source"))
    try write("a\n", folder.appending(path: "group"), mode: 0o640)
    #expect(try !isForAll("group"))
    try write("a\n", folder.appending(path: "closed/file"))
    #expect(chmod(folder.appending(path: "closed").path(), 0o750) == 0)
    #expect(try !isForAll("closed", "file"))
    // A hard link leads to a hidden file, as far as anyone can tell.
    try write("a\n", folder.appending(path: ".env"))
    try FileManager.default.linkItem(
      at: folder.appending(path: ".env"), to: folder.appending(path: "linked"))
    #expect(try !isForAll("linked"))
    // The folder itself is the user's own affair: homes are often closed.
    #expect(chmod(folder.path(), 0o700) == 0)
    #expect(try isForAll("sub", "source"))
  }

  /// What was found is what is read: a file that took its place meanwhile is not.
  @Test func aFileThatWasReplacedIsNotRead() throws {
    let file = try #require(FileBelow(["sub", "source"], below: held))
    try write("another\n", folder.appending(path: "sub/new"))
    #expect(rename(folder.appending(path: "sub/new").path(), folder.appending(path: "sub/source").path()) == 0)
    #expect(file.read(atMost: 100) == nil)

    let moved = try #require(FileBelow(["sub", "source"], below: held))
    #expect(unlink(folder.appending(path: "sub/source").path()) == 0)
    try link("sub/source", to: "../../secret")
    #expect(moved.read(atMost: 100) == nil)

    try write("a\n", folder.appending(path: "sub/made"))
    let linked = try #require(FileBelow(["sub", "made"], below: held))
    #expect(unlink(folder.appending(path: "sub/made").path()) == 0)
    #expect(mkfifo(folder.appending(path: "sub/made").path(), 0o644) == 0)
    #expect(linked.read(atMost: 100) == nil)
  }

  @Test func aLargeFileIsNotRead() throws {
    try write("123456789\n", folder.appending(path: "ten"))
    #expect(FileBelow(["ten"], below: held)?.read(atMost: 10) != nil)
    #expect(FileBelow(["ten"], below: held)?.read(atMost: 9) == nil)
  }

  @Test func nothingStaysOpen() throws {
    func open() -> Int { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0 }
    // Other tests open files at the same time: what is left open a thousand times is seen all the same.
    let before = open()
    try link("bad", to: "../secret")
    for _ in 0..<1000 {
      #expect(text("sub", "source") == "source\n")
      #expect(text("bad") == nil && text("sub", "none") == nil)
    }
    #expect(open() < before + 500)
  }
}
