import Foundation
import Testing

/// What nm lists of an object or a library.
struct SymbolList {
  static let isPossible = FileManager.default.isExecutableFile(atPath: nm)
  private static let nm = "/usr/bin/nm"

  /// The types are nm's letters.
  let symbols: [(name: String, type: Substring)]

  init(of path: String, _ options: String...) throws {
    let nm = Process()
    let pipe = Pipe()
    nm.executableURL = URL(filePath: Self.nm)
    nm.arguments = options + ["--format=posix", path]
    nm.standardOutput = pipe
    try nm.run()
    let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    nm.waitUntilExit()
    try #require(nm.terminationStatus == 0)
    symbols = text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      return words.count > 1 ? (String(words[0]), words[1]) : nil
    }
  }
}
