import CrashKit
import CrashKitLogging
import Instrumentation
import Logging
import TestTracer
import Testing

/// Lines of swift-log, and the breadcrumbs that they leave.
@Suite struct LoggingTests {
  private static func logger(_ label: String, _ provider: Logger.MetadataProvider? = nil) -> Logger {
    Logger(label: label) { CrashKitLogging.Handler(label: $0, metadataProvider: provider) }
  }

  @Test func eachLineIsABreadcrumb() throws {
    var logger = Self.logger("test.lines")
    for level in Logger.Level.allCases { logger.log(level: level, "first") }
    logger.logLevel = .trace
    for level in Logger.Level.allCases { logger.log(level: level, "second") }
    let names = Logger.Level.allCases.map(\.rawValue)
    let crumbs = try Crumb.all(of: "test.lines")
    #expect(crumbs.map(\.level) == Array(names.dropFirst(2)) + names)
    #expect(crumbs.map(\.message).last == "second" && crumbs.allSatisfy { $0.attributes == nil })
  }

  @Test func metadataIsMaskedAndBounded() throws {
    var logger = Self.logger("test.metadata")
    logger[metadataKey: "password"] = "geheim"
    logger.warning(
      "GET https://host/?access_token=geheim",
      metadata: [
        "numbers": ["1", "2"], "session": ["api_token": "geheim"], "count": .stringConvertible(7),
        "long": .string(String(repeating: "x", count: 1000)),
      ])
    let crumb = try #require(try Crumb.all(of: "test.metadata").first)
    #expect(!crumb.message.contains("geheim") && crumb.level == "warning")
    let attributes = try #require(crumb.attributes)
    #expect(attributes["password"] == "***" && attributes["count"] == "7")
    #expect(attributes["numbers"] == #"["1", "2"]"# && attributes["long"]?.utf8.count == 256)
    #expect(!attributes.values.contains { $0.contains("geheim") })
  }

  @Test func theInnermostValueOfAKeyCounts() throws {
    let provider = Logger.MetadataProvider { ["request.id": "r-42", "shared": "provider", "both": "provider"] }
    var logger = Self.logger("test.nearest", provider)
    logger[metadataKey: "both"] = "logger"
    logger[metadataKey: "shared"] = "logger"
    logger[metadataKey: "own"] = "logger"
    logger.info("a line", metadata: ["shared": "line"])
    #expect(
      try Crumb.all(of: "test.nearest").map(\.attributes) == [
        ["request.id": "r-42", "shared": "line", "both": "provider", "own": "logger"]
      ])
  }

  @Test func errorsAreAttributes() throws {
    struct Failure: Error {}
    Self.logger("test.errors").error("failed", error: Failure())
    let attributes = try #require(try Crumb.all(of: "test.errors").first?.attributes)
    #expect(attributes["error.message"] == "Failure()" && attributes["error.type"]?.hasSuffix("Failure") == true)
  }

  /// The line that the documentation has, and with it the program's provider.
  @Test func theProgramsOwnHandlerHasTheLinesToo() throws {
    LoggingSystem.bootstrap(
      { label, _ in
        MultiplexLogHandler([CrashKitLogging.Handler(label: label, level: .notice), OwnHandler(logLevel: .error)])
      }, metadataProvider: .init { ["request.id": "r-42"] })
    let logger = Logger(label: "test.own")
    logger.info("neither")
    logger.notice("one")
    logger.error("both")
    let crumbs = try Crumb.all(of: "test.own")
    #expect(crumbs.map(\.message) == ["one", "both", "own: both"])
    #expect(crumbs.first?.attributes == ["request.id": "r-42"])
  }

  @Test func linesInASpanHaveItsIds() throws {
    #expect(Tracer.isBootstrapped)
    let logger = Self.logger("test.traces")
    var span = InstrumentationContext.topLevel
    span[Tracer.Key.self] = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    InstrumentationContext.withValue(span) { logger.info("in a span") }
    logger.info("in none")
    let ids = ["trace.id": "0af7651916cd43dd8448eb211c80319c", "span.id": "b7ad6b7169203331"]
    #expect(try Crumb.all(of: "test.traces").map(\.attributes) == [ids, nil])
  }
}

/// A handler of the program's.
private struct OwnHandler: LogHandler {
  var metadata: Logger.Metadata = [:]
  var metadataProvider: Logger.MetadataProvider?
  var logLevel: Logger.Level

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) { CrashKit.record("own: \(event.message)", category: "test.own") }
}
