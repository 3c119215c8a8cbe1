import Foundation

/// A folder that goes away with the test.
final class TemporaryFolder: Sendable {
  let path = NSTemporaryDirectory() + "workloads-" + UUID().uuidString

  init() { try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
