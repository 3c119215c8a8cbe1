import Foundation

/// A folder that goes when the test does.
final class TemporaryFiles: Sendable {
  let folder = FileManager.default.temporaryDirectory.appending(path: "inputs-\(UUID().uuidString)").path

  init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// Writes a file, with the folders that it needs, and returns its path.
  func write(_ bytes: some Sequence<UInt8>, to name: String) throws -> String {
    let path = "\(folder)/\(name)"
    try FileManager.default.createDirectory(
      at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(filePath: path))
    return path
  }

  func write(_ text: String, to name: String) throws -> String { try write(Array(text.utf8), to: name) }
}

/// The start of an ELF file of a type: 4 is a core file.
func elfStart(type: UInt8) -> [UInt8] {
  var bytes: [UInt8] = [0x7F] + "ELF".utf8 + [2, 1, 1] + [UInt8](repeating: 0, count: 9) + [type, 0, 62, 0]
  bytes += [UInt8](repeating: 0, count: 44)
  return bytes
}

/// A report of one line, with a number to know it by.
func report(_ number: Int) -> String {
  #"{"schema":"crashkit/1","timestamp":"2026-11-21T08:24:35Z","kind":"crashReport","number":\#(number)}"#
}
