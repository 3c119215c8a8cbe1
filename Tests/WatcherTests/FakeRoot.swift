import Foundation

@testable import Watcher

/// A folder with files of the kernel's making, which goes with the value.
final class FakeRoot {
  let path = NSTemporaryDirectory() + "watcher-\(UUID().uuidString)"
  var root: Watcher.SystemRoot { Watcher.SystemRoot(path) }

  init(_ files: [String: String] = [:]) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    for (name, text) in files { try write(text, to: name) }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func write(_ text: String, to name: String) throws {
    let file = path + name
    let folder = (file as NSString).deletingLastPathComponent
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try text.write(toFile: file, atomically: true, encoding: .utf8)
  }
}

/// Hands out what it is told to, as a metric of the unit that it is told.
final class ScriptedProvider: Watcher.MetricProvider, @unchecked Sendable {
  let metric: Watcher.Metric
  private let lock = NSLock()
  private var contents: [Watcher.Sample.Content]
  private var instant: UInt64 = 1_000_000_000
  private(set) var count = 0

  /// The last one is handed out for ever.
  init(_ contents: [Watcher.Sample.Content], metric: Watcher.Metric = .cpuLoad) {
    self.contents = contents
    self.metric = metric
  }

  convenience init(levels: [Double], metric: Watcher.Metric = .cpuLoad) {
    self.init(levels.map { value in Watcher.level(of: metric) { value } }, metric: metric)
  }

  func sample() -> Watcher.Sample {
    lock.withLock {
      count += 1
      instant += 1_000_000_000
      let content = contents.count > 1 ? contents.removeFirst() : contents[0]
      return Watcher.Sample(content, at: instant)
    }
  }
}
