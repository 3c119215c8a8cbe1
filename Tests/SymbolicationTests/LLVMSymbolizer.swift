import Foundation

/// The toolchain's llvm-symbolizer: what our answers are compared with.
enum LLVMSymbolizer {
  struct Frame: Decodable, Equatable {
    var functionName: String
    var fileName: String
    var line: Int
    var column: Int

    enum CodingKeys: String, CodingKey {
      case functionName = "FunctionName"
      case fileName = "FileName"
      case line = "Line"
      case column = "Column"
    }
  }

  private struct Answer: Decodable {
    var symbols: [Frame]

    enum CodingKeys: String, CodingKey { case symbols = "Symbol" }
  }

  /// It stands beside the Swift compiler; another one on PATH may be too old for Swift's DWARF.
  static var path: String? {
    guard let compiler = Tool.path(of: "swiftc") else { return nil }
    return URL(fileURLWithPath: compiler).deletingLastPathComponent().appendingPathComponent("llvm-symbolizer").path
  }

  /// The chain of calls at each address of a file, innermost first.
  static func frames(at addresses: [UInt64], in file: String) throws -> [[Frame]] {
    guard let path else { throw Tool.Failure(description: "swiftc is not on PATH") }
    let output = try Tool.run(
      [path, "--obj=\(file)", "--output-style=JSON", "--inlines", "--functions=linkage", "--no-demangle"],
      input: addresses.map { "0x" + String($0, radix: 16) }.joined(separator: "\n") + "\n")
    return try output.split(separator: "\n").map { line in
      try JSONDecoder().decode(Answer.self, from: Data(line.utf8)).symbols
    }
  }
}
