import Foundation
import Testing

/// Compiles the small programs of the folder Programs, as their users would.
enum Compiler {
  static let programs = Products.root.appending(path: "Tests/EndToEndTests/Programs")

  /// Compiles `source` with optimisation and debug information into `folder`; returns the program's path.
  static func compile(_ source: String, into folder: TemporaryFolder, options: [String] = []) throws -> String {
    let output = folder.url.appending(path: source).deletingPathExtension().path
    let input = programs.appending(path: source).path
    let tool: [String] =
      switch URL(filePath: source).pathExtension {
      case "c": ["cc", "-O2", "-g", "-pthread"]
      case "cpp": ["c++", "-std=c++17", "-O2", "-g", "-pthread"]
      case "rs": ["rustc", "-O", "-g"]
      case "go": ["go", "build"]
      case "swift": ["swiftc", "-O", "-g", "-parse-as-library", "-swift-version", "6"]
      default: []
      }
    let compiler = try #require(tool.first)
    let path = try #require(Products.onPath(compiler), "\(compiler) is missing")
    let command = [path] + tool.dropFirst() + options
    let key = command + [input]
    if try CompiledPrograms.shared?.copy(of: key, to: output) == true { return output }
    let run = try ProgramRun.run(command + ["-o", output, input], seconds: 120)
    try #require(run.end == .exited(0), Comment(rawValue: run.standardError))
    try CompiledPrograms.shared?.keep(output, of: key)
    return output
  }

  /// The number of the line that the program marks with "It crashes here.".
  static func crashLine(of source: String) throws -> Int {
    let text = try String(contentsOf: programs.appending(path: source), encoding: .utf8)
    let index = text.split(separator: "\n", omittingEmptySubsequences: false)
      .firstIndex { $0.contains("It crashes here.") }
    return try #require(index) + 1
  }
}
