import CLinuxCalls
import Foundation
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

  @Test(arguments: ["file", "link", "nothing"]) func theyAreThoseOfTheFileThatWasRead(_ replacement: String) throws {
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
    let stripped = try NewFile(in: scratch.folder.path())
    try stripped.takeAttributes(of: file)
    try stripped.place(at: scratch.path("stripped"))
    let descriptor = open(scratch.path("stripped"), O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    #expect(attribute(of: descriptor) == "own")
  }
}
