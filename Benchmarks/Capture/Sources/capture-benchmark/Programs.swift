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
    try numbers(name, arguments, environment: environment, count: 1)[0]
  }

  /// The first numbers that a program prints.
  func numbers(
    _ name: String, _ arguments: [String], environment: [String: String] = [:], count: Int
  ) throws -> [Double] {
    let text = String(decoding: try output(name, arguments, environment: environment), as: UTF8.self)
    let numbers = text.split(whereSeparator: \.isWhitespace).prefix(count).compactMap { Double($0) }
    guard numbers.count == count else {
      throw Failure(description: "\(name) \(arguments.joined(separator: " ")) printed '\(text)'")
    }
    return numbers
  }

  struct Death {
    /// From just before the faulting instruction to the finished file.
    var microseconds: Double
    var reportBytes: Int
  }

  /// Lets the victim die and waits for its report; nil where there is none after two minutes.
  func death(
    threads: Int, crashKit: Bool, environment: [String: String], folder: URL, until finish: FolderWatch.Finish
  ) throws -> Death? {
    let watch = try FolderWatch(folder.path, until: finish)
    let arguments = ["crash", crashKit ? "with" : "without", "\(threads)"]
    let (process, pipe) = try start("capture-victim", arguments, environment: environment)
    let finished = watch.nextReport(seconds: 120)
    if finished == nil { killWithChildren(process.processIdentifier) }
    let stamp = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard stamp.count == 8 else { throw Failure(description: "\(arguments) did not crash") }
    guard let finished else { return nil }
    let started = stamp.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
    let sizes = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: [.fileSizeKey])
      .filter { $0.pathExtension == "json" }
      .map { try $0.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0 }
    return Death(microseconds: Double(finished - started) / 1000, reportBytes: sizes.max() ?? 0)
  }

  /// From just before the first faulting instruction, in microseconds; nil for what had not come to pass in time.
  struct SharedDeath {
    var report: Double?
    var death: Double?
  }

  /// Lets threads of the victim crash at once. A victim that is not dead after `seconds` is killed.
  func sharedDeath(
    threads: Int, crashKit: Bool, environment: [String: String], folder: URL, until finish: FolderWatch.Finish,
    seconds: Int32
  ) throws -> SharedDeath {
    let watch = try FolderWatch(folder.path, until: finish)
    let arguments = ["together", crashKit ? "with" : "without", "\(threads)"]
    let (process, pipe) = try start("capture-victim", arguments, environment: environment)
    let output = pipe.fileHandleForReading
    let stamp = try output.read(upToCount: 8) ?? Data()
    guard stamp.count == 8 else { throw Failure(description: "\(arguments) did not crash") }
    let started = stamp.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
    let finished = watch.nextReport(seconds: seconds)
    // Its end closes the pipe.
    var waiting = pollfd(fd: output.fileDescriptor, events: Int16(POLLIN), revents: 0)
    let dead = poll(&waiting, 1, seconds * 1000) == 1 ? monotonicNanoseconds() : nil
    if dead == nil { killWithChildren(process.processIdentifier) }
    process.waitUntilExit()
    let elapsed = { (time: UInt64?) in time.map { Double($0 - started) / 1000 } }
    return SharedDeath(report: elapsed(finished), death: elapsed(dead))
  }

  /// The runtime's backtracer is a child of the thread that crashed.
  private func killWithChildren(_ process: pid_t) {
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
    let children = tasks.flatMap { task in
      let list = try? String(contentsOfFile: "/proc/\(process)/task/\(task)/children", encoding: .utf8)
      return (list ?? "").split(separator: " ").compactMap { pid_t($0) }
    }
    for child in children { kill(child, SIGKILL) }
    kill(process, SIGKILL)
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
