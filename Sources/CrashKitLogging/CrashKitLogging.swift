#if CrashKitLogging
  import CrashKit
  import CrashKitTracing
  import Logging

  /// Records lines of swift-log as breadcrumbs.
  public enum CrashKitLogging {
    /// Records each line as a breadcrumb. The line's level becomes the breadcrumb's level, its label becomes the
    /// category, and its metadata becomes the attributes.
    ///
    /// ```swift
    /// LoggingSystem.bootstrap {
    ///   MultiplexLogHandler([CrashKitLogging.Handler(label: $0), StreamLogHandler.standardError(label: $0)])
    /// }
    /// ```
    ///
    /// If the current `ServiceContext` is part of a trace, the attributes of a breadcrumb begin with `trace.id` and
    /// `span.id`. The error of the line follows. Then come the metadata of the line, of the provider and of the logger,
    /// in this order. If several of these three have the same key, the breadcrumb has only the first value. Text is
    /// limited and masked as in `CrashKit.record`.
    public struct Handler: LogHandler {
      /// The handler records no line below this level.
      public var logLevel: Logger.Level
      /// Keys and values for all lines. If a line has the same key, the breadcrumb has the line's value.
      public var metadata: Logger.Metadata = [:]
      /// Gives current keys and values, such as the request's id.
      public var metadataProvider: Logger.MetadataProvider?
      private let label: String

      /// Makes a handler for the lines of one label.
      ///
      /// - Parameters:
      ///   - label: The label of the logger.
      ///   - level: The handler records no line below this level.
      ///   - metadataProvider: Gives current keys and values, such as the request's id.
      public init(
        label: String, level: Logger.Level = .info,
        metadataProvider: Logger.MetadataProvider? = LoggingSystem.metadataProvider
      ) {
        self.label = label
        self.metadataProvider = metadataProvider
        logLevel = level
      }

      /// The value of a key of ``metadata``.
      public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
      }

      /// Records the line as a breadcrumb.
      public func log(event: LogEvent) {
        let line = event.metadata ?? [:]
        let provided = metadataProvider?.get() ?? [:]
        CrashKit.record(event.message.description, category: label, level: CrashKit.Level(event.level)) { pairs in
          if let trace = CrashKitTracing.current { pairs.add(trace) }
          // As swift-log's own handlers name them.
          if let error = event.error {
            pairs.add("error.message", "\(error)")
            pairs.add("error.type", String(reflecting: type(of: error)))
          }
          for (key, value) in line { pairs.add(key, value.text) }
          for (key, value) in provided where line[key] == nil { pairs.add(key, value.text) }
          for (key, value) in metadata where line[key] == nil && provided[key] == nil { pairs.add(key, value.text) }
        }
      }
    }
  }

  extension Logger.MetadataValue {
    /// Most values are text already.
    @inline(__always)
    fileprivate var text: String {
      if case .string(let text) = self { return text }
      return description
    }
  }

  extension CrashKit.Level {
    fileprivate init(_ level: Logger.Level) {
      self =
        switch level {
        case .trace: .trace
        case .debug: .debug
        case .info: .info
        case .notice: .notice
        case .warning: .warning
        case .error: .error
        case .critical: .critical
        }
    }
  }
#else
  /// If the package trait `CrashKitLogging` is off, this type has no usable handler.
  public enum CrashKitLogging {
    @available(*, unavailable, message: "CrashKitLogging's trait is off: see Docs/packages.md")
    public struct Handler {
      public init(label: String) {}
    }
  }
#endif
