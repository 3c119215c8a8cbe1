import Foundation
import TestEnvironment
import Testing

/// What an optimised program that links ThreadGuard contains, told by reading the binary.
@Suite(
  .serialized, .enabled(if: tests_are_full()),
  .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/objdump")))
struct ReleaseBinaryTests {
  /// Functions of libc and libdispatch that a part of this package may put its own in front of.
  private static let interposed = [
    "pthread_", "dispatch_", "sem_", "sigaction", "signal", "fputs", "fwrite", "exit", "_exit", "exec", "posix_spawn",
  ]

  @Test func aReleaseProgramPaysNothing() throws {
    let program = try Program(traits: "")
    defer { program.remove() }
    let own = try program.definedFunctions()
    let found = own.filter { name in Self.interposed.contains { name.hasPrefix($0) } }
    #expect(found.isEmpty, "\(found)")
    let plain = try program.instructions(of: "plain")
    #expect(plain.count > 1)
    #expect(try program.instructions(of: "checked") == plain)
    let property = try program.instructions(of: "plain_property")
    #expect(property.count > 1)
    #expect(try program.instructions(of: "checked_property") == property)
    #expect(try program.instructions(of: "guarded_property") == property)
  }

  /// The same program with the trait: what the test above looks for is found where it is.
  @Test func theTraitBringsThemIn() throws {
    let program = try Program(traits: #", traits: ["ThreadGuardInRelease"]"#)
    defer { program.remove() }
    #expect(try program.definedFunctions().contains("dispatch_async"))
    #expect(try program.instructions(of: "checked") != program.instructions(of: "plain"))
    #expect(try program.instructions(of: "checked_property") != program.instructions(of: "plain_property"))
  }

  /// A package that uses ThreadGuard, built as for production.
  private struct Program {
    private let folder: URL
    private let binary: String

    init(traits: String) throws {
      folder = FileManager.default.temporaryDirectory.appending(path: "threadguard-release-\(UUID().uuidString)")
      let sources = folder.appending(path: "Sources/program")
      try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
      let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      let root = here.deletingLastPathComponent().deletingLastPathComponent().path
      try FileManager.default.copyItem(
        at: here.appending(path: "ReleaseProgram/main.swift.txt"), to: sources.appending(path: "main.swift"))
      let manifest = """
        // swift-tools-version: 6.2
        import PackageDescription

        let package = Package(
          name: "program", dependencies: [.package(name: "swift-crashkit", path: "\(root)"\(traits))],
          targets: [
            .executableTarget(
              name: "program", dependencies: [.product(name: "ThreadGuard", package: "swift-crashkit")])
          ])

        """
      try manifest.write(to: folder.appending(path: "Package.swift"), atomically: true, encoding: .utf8)
      let build = try Self.run(
        "swift", ["build", "--package-path", folder.path, "-c", "release", "--disable-index-store"])
      try #require(build.status == 0, Comment(rawValue: build.output + build.errors))
      binary = folder.appending(path: ".build/release/program").path
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    private static func run(_ tool: String, _ arguments: [String]) throws -> ProgramRun {
      try ProgramRun("/usr/bin/env", [tool] + arguments, seconds: 1200)
    }

    /// The names of the functions that the binary itself defines.
    func definedFunctions() throws -> [String] {
      let lines = try Self.run("nm", ["--defined-only", binary]).lines
      try #require(lines.count > 10)
      return lines.compactMap { line in
        let words = line.split(separator: " ")
        return words.count == 3 && ["T", "W", "V", "i"].contains(words[1]) ? String(words[2]) : nil
      }
    }

    /// Its instructions, without addresses, without the number that tells the function from the others, and without what
    /// fills the space up to the next one.
    func instructions(of function: String) throws -> [String] {
      let run = try Self.run(
        "objdump", ["-d", "--no-show-raw-insn", "--no-addresses", "--disassemble=\(function)", binary])
      let listed = run.lines.drop { !$0.hasPrefix("<\(function)>:") }.dropFirst().prefix { $0.hasPrefix("\t") }
      let texts = listed.map { line in
        line.trimmingCharacters(in: .whitespaces).replacing(/0xf424[1-5]/, with: "NUMBER")
      }
      return texts.filter { !$0.hasPrefix("nop") && !$0.hasPrefix("cs nop") }
    }
  }
}
