import Foundation
import Testing

/// Runs of region-probe, each in a directory of its own that goes with it.
final class Probe {
  let directory: URL

  init() throws {
    directory = FileManager.default.temporaryDirectory.appending(path: "crashkit-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  enum End: Equatable {
    case exit(Int32)
    case signal(Int32)
  }

  struct Outcome {
    var end: End
    var output: String
    var errors: String
  }

  /// Runs the probe to its end.
  func run(_ name: String, _ arguments: [String] = []) throws -> Outcome {
    let process = makeProcess(name, arguments)
    let output = Pipe()
    let errors = Pipe()
    process.standardOutput = output
    process.standardError = errors
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let outputText = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    let errorText = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    return Outcome(end: Self.end(of: process), output: outputText, errors: errorText)
  }

  static func end(of process: Process) -> End {
    process.terminationReason == .exit ? .exit(process.terminationStatus) : .signal(process.terminationStatus)
  }

  func makeProcess(_ name: String, _ arguments: [String]) -> Process {
    let process = Process()
    // Beside the tests' own program.
    let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.executableURL = own.deletingLastPathComponent().appending(path: "region-probe")
    process.arguments = [name, directory.path] + arguments
    return process
  }

  /// The region files in the directory, by name.
  func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
  }

  func region(_ name: String) throws -> RegionBytes {
    RegionBytes(try Data(contentsOf: directory.appending(path: name)))
  }

  /// The only region file in the directory.
  func onlyRegion() throws -> RegionBytes {
    let names = try files()
    #expect(names.count == 1)
    return try region(try #require(names.first))
  }
}
