import CrashKitLogging
import Instrumentation
import Logging

/// Lines of swift-log to a handler that drops everything, alone and with CrashKitLogging beside it.
enum LogLines {
  static let dropped = Logger(label: "lifecycle") { _ in SwiftLogNoOpLogHandler() }
  static let taken = Logger(label: "lifecycle") { _ in Taking() }
  static let takenWithProvider = Logger(label: "lifecycle") { _ in Taking(metadataProvider: requestID) }
  static let kept = beside(nil)
  static let provided = beside(requestID)
  private static let requestID = Logger.MetadataProvider { ["request.id": "0af76519-16cd-43dd-8448-eb211c80319c"] }

  /// Keeps the lines' metadata in use.
  nonisolated(unsafe) fileprivate static var sum = 0

  private static func beside(_ provider: Logger.MetadataProvider?) -> Logger {
    Logger(label: "lifecycle") {
      MultiplexLogHandler([CrashKitLogging.Handler(label: $0, metadataProvider: provider), SwiftLogNoOpLogHandler()])
    }
  }

  static func plain(_ logger: Logger, _ count: Int) {
    for _ in 0..<count { logger.info("DidEnterBackground") }
  }

  static func pairs(_ logger: Logger, _ count: Int) {
    for _ in 0..<count { logger.info("DidEnterBackground", metadata: ["scene": "main", "reason": "user"]) }
  }

  static func inSpan(_ logger: Logger, _ count: Int) {
    var context = InstrumentationContext.topLevel
    context[Tracer.Key.self] = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    InstrumentationContext.withValue(context) { plain(logger, count) }
  }

  static func bootstrapTracer() { InstrumentationSystem.bootstrap(Tracer()) }
}

/// Drops each line, but only when it is there with its metadata: the least that a handler of lines costs.
private struct Taking: LogHandler {
  var logLevel = Logger.Level.info
  var metadata: Logger.Metadata = [:]
  var metadataProvider: Logger.MetadataProvider?

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) { LogLines.sum &+= (event.metadata?.count ?? 0) + (metadataProvider?.get().count ?? 0) }
}

/// The least that a tracer does: it has the header at hand.
private struct Tracer: Instrument {
  enum Key: InstrumentationContextKey { typealias Value = String }

  func extract<Carrier, Extract: Extractor>(
    _ carrier: Carrier, into context: inout InstrumentationContext, using extractor: Extract
  ) where Extract.Carrier == Carrier {}

  func inject<Carrier, Inject: Injector>(
    _ context: InstrumentationContext, into carrier: inout Carrier, using injector: Inject
  ) where Inject.Carrier == Carrier {
    if let value = context[Key.self] { injector.inject(value, forKey: "traceparent", into: &carrier) }
  }
}
