import CLinuxCalls
import Foundation
import Synchronization
import Testing

@testable import SymbolStore

/// Whose attributes a stripped file gets, if its path leads elsewhere once the file was read.
@Suite struct StrippedAttributesTests {
  private static let name = "user.crashsym-test"
  private let scratch = try! Scratch()

  private func write(_ path: String, _ value: String) throws {
    _ = try scratch.write("program", to: path)
    try #require(setxattr(scratch.path(path), Self.name, value, value.utf8.count, 0) == 0)
  }

  private func attribute(of descriptor: Int32) -> String? {
    var value = [UInt8](repeating: 0, count: 64)
    let count = fgetxattr(descriptor, Self.name, &value, value.count)
    return count < 0 ? nil : String(decoding: value[..<count], as: UTF8.self)
  }

  @Test(arguments: ["file", "link", "nothing"]) func attributesBelongToTheFileThatWasRead(_ replacement: String) throws
  {
    try write("program", "own")
    try write("other", "foreign")
    let file = try WholeFile(path: scratch.path("program"))
    try FileManager.default.removeItem(atPath: file.path)
    switch replacement {
    case "file": try write("program", "foreign")
    case "link":
      try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: scratch.path("other"))
    default: break
    }
    let stripped = try NewFile(in: OpenFolder(path: scratch.folder.path()))
    try stripped.takeAttributes(of: file)
    try stripped.place(as: "stripped")
    let descriptor = open(scratch.path("stripped"), O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    #expect(attribute(of: descriptor) == "own")
  }

  /// Attributes may come and go while they are read.
  @Test func attributesMayChangeDuringTheCommand() throws {
    try write("program", "own")
    let path = scratch.path("program")
    let isDone = Mutex(false)
    let other = Thread {
      while !isDone.withLock({ $0 }) {
        removexattr(path, Self.name)
        setxattr(path, Self.name, "own", 3, 0)
      }
    }
    other.start()
    defer { isDone.withLock { $0 = true } }
    let file = try WholeFile(path: path)
    for _ in 0..<2_000 {
      let stripped = try NewFile(in: OpenFolder(path: scratch.folder.path()))
      do {
        try stripped.takeAttributes(of: file)
      } catch {
        #expect(error.what.contains("attribute \(Self.name) cannot be read"), "\(error)")
      }
    }
  }
}

/// Files of a folder that change between their listing and their turn.
@Suite struct FolderRaceTests {
  private let scratch = try! Scratch()

  /// What somebody who may write in the folder puts in a file's place is not stripped.
  @Test(arguments: ["file", "folder"]) func noLinkLeadsOutOfTheFolder(_ swapped: String) throws {
    let files = FileManager.default
    for folder in ["given", "given/inner", "outside"] {
      try files.createDirectory(atPath: scratch.path(folder), withIntermediateDirectories: true)
    }
    for path in ["given/inner/program", "outside/program"] {
      try files.copyItem(atPath: Command.crashsym, toPath: scratch.path(path))
    }
    let found = try FolderWalk.files(in: scratch.path("given"))
    try #require(found.map(\.path) == [scratch.path("given/inner/program")])
    let (old, target) =
      swapped == "file" ? ("given/inner/program", "outside/program") : ("given/inner", "outside")
    try files.removeItem(atPath: scratch.path(old))
    try files.createSymbolicLink(atPath: scratch.path(old), withDestinationPath: scratch.path(target))
    let before = try files.attributesOfItem(atPath: scratch.path("outside/program"))
    let store = try SymbolStore(path: scratch.path("store"))
    #expect(throws: FilingFailure.self) { try store.add(found[0], stripping: true) }
    let after = try files.attributesOfItem(atPath: scratch.path("outside/program"))
    #expect(before[.systemFileNumber] as? Int == after[.systemFileNumber] as? Int)
    #expect(before[.size] as? Int == after[.size] as? Int)
    #expect(!files.fileExists(atPath: scratch.path("store/.build-id")))
  }
}
