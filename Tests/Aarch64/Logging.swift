// Stands in for swift-log, whose version 1.16.2 needs Swift 6.2, in the build with Debian's Swift 6.0 for aarch64.
// It has what Watcher uses, and writes to standard error.

import Glibc

public struct Logger: Sendable {
  public enum MetadataValue: Sendable {
    case string(String)
  }
  public typealias Metadata = [String: MetadataValue]

  private let label: String
  private var metadata: Metadata = [:]

  public init(label: String) { self.label = label }

  public subscript(metadataKey key: String) -> MetadataValue? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  public func info(_ message: String, metadata: Metadata = [:]) { log("info", message, metadata) }
  public func warning(_ message: String, metadata: Metadata = [:]) { log("warning", message, metadata) }
  public func error(_ message: String, metadata: Metadata = [:]) { log("error", message, metadata) }

  private func log(_ level: String, _ message: String, _ more: Metadata) {
    let pairs = metadata.merging(more) { $1 }.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    let line = "\(level) \(label): \(message) \(pairs.joined(separator: " "))\n"
    _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
  }
}
