import Foundation

/// Runs the programs that tests are measured by.
enum Tool {
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  /// Where a program is, in the folders of PATH.
  static func path(of name: String) -> String? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Runs a program to its end, with `input` on its standard input; gives what it wrote on standard output.
  static func run(_ command: [String], input: String? = nil, in folder: URL? = nil) throws -> String {
    guard let path = command[0].hasPrefix("/") ? command[0] : path(of: command[0]) else {
      throw Failure(description: "\(command[0]) is not installed")
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = Array(command.dropFirst())
    if let folder { process.currentDirectoryURL = folder }
    let output = Pipe()
    let errors = Pipe()
    process.standardOutput = output
    process.standardError = errors
    // A file, not a pipe: nobody has to feed it while the output is read.
    let inputFile = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try Data((input ?? "").utf8).write(to: inputFile)
    defer { try? FileManager.default.removeItem(at: inputFile) }
    process.standardInput = try FileHandle(forReadingFrom: inputFile)
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    let complaint = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(description: "\(command): \(String(decoding: complaint, as: UTF8.self))")
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// A new folder that is removed when the body ends.
  static func withFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("symbolication-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
  }
}
