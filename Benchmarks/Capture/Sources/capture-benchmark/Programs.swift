import Foundation

/// The programs that are measured; they lie beside this one.
struct Programs {
  let folder: URL

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Runs a program to its end and returns what it printed.
  func output(_ name: String, _ arguments: [String], environment: [String: String] = [:]) throws -> Data {
    let (process, pipe) = try start(name, arguments, environment: environment)
    let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return data
  }

  /// The first number that a program prints.
  func number(_ name: String, _ arguments: [String], environment: [String: String] = [:]) throws -> Double {
    let text = String(decoding: try output(name, arguments, environment: environment), as: UTF8.self)
    guard let number = text.split(whereSeparator: \.isWhitespace).first.flatMap({ Double($0) }) else {
      throw Failure(description: "\(name) \(arguments.joined(separator: " ")) printed '\(text)'")
    }
    return number
  }

  struct Death {
    /// From just before the faulting instruction to the finished file.
    var microseconds: Double
    var reportBytes: Int
  }

  /// Lets the victim die and waits for its report.
  func death(
    threads: Int, crashKit: Bool, environment: [String: String], folder: URL, until finish: FolderWatch.Finish
  ) throws -> Death {
    let watch = try FolderWatch(folder.path, until: finish)
    let arguments = ["crash", crashKit ? "with" : "without", "\(threads)"]
    let (process, pipe) = try start("capture-victim", arguments, environment: environment)
    let finished = watch.nextReport(seconds: 120)
    let stamp = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard let finished, stamp.count == 8 else {
      throw Failure(description: "\(threads) threads: no report from \(arguments) \(environment)")
    }
    let started = stamp.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
    let sizes = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: [.fileSizeKey])
      .filter { $0.pathExtension == "json" }
      .map { try $0.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0 }
    return Death(microseconds: Double(finished - started) / 1000, reportBytes: sizes.max() ?? 0)
  }

  private func start(
    _ name: String, _ arguments: [String], environment: [String: String]
  ) throws -> (Process, Pipe) {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = folder.appending(path: name)
    process.arguments = arguments
    process.environment = ["PATH": "/usr/bin:/bin", "SWIFT_BACKTRACE": "enable=no"].merging(environment) { $1 }
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    return (process, pipe)
  }
}
