import Foundation
import Testing

/// A folder of reports for programs that run one after the other.
final class ReportFolder: Sendable {
  /// What a run of the probe printed, without the counters that it made.
  struct Run {
    var isKilled: Bool
    var made: [String]
    var lines: [String]

    /// What was counted, and what was handed over.
    var reports: [String] { lines.filter { $0.hasPrefix("crashkit.") || $0.hasPrefix("handed over ") } }

    func place(of line: String) throws -> Int { try #require(lines.firstIndex(of: line), "\(line) of \(lines)") }
  }

  private let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "service-\(getpid())-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// The kinds of the reports in a folder of it.
  func kinds(in folder: String = ".") -> [String] {
    names(in: folder).filter { $0.hasSuffix(".json") }.map { String($0.split(separator: "-").last!.dropLast(5)) }
  }

  func names(in folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: url.appending(path: folder).path)) ?? []).sorted()
  }

  /// Makes a report without contents.
  func add(_ name: String) throws {
    let file = url.appending(path: name)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data().write(to: file)
  }

  func remove(_ name: String) throws { try FileManager.default.removeItem(at: url.appending(path: name)) }

  /// Runs the probe to its end.
  func run(_ arguments: String...) async throws -> Run {
    let program = Process()
    program.executableURL = Self.products.appending(path: "service-probe")
    program.arguments = arguments
    program.environment = ["CRASHKIT_DIRECTORY": url.path, "CRASHKIT_OPTIONS": "summary=no"]
    let output = Pipe()
    program.standardOutput = output
    program.standardError = FileHandle.nullDevice
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    program.terminationHandler = { _ in end.finish() }
    try program.run()
    // Far longer than a run takes: it has hung.
    let limit = DispatchWorkItem { kill(program.processIdentifier, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + 300, execute: limit)
    let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    for await _ in ends {}
    limit.cancel()
    let lines = text.split(separator: "\n").map(String.init)
    return Run(
      isKilled: program.terminationReason == .uncaughtSignal, made: lines.filter { $0.hasPrefix("counter ") },
      lines: lines.filter { !$0.hasPrefix("counter ") })
  }

  /// Where the tests' own executable is.
  private static let products = URL(
    filePath: (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
  ).deletingLastPathComponent()
}
