#if CrashKitHummingbird
  import CrashKit
  import CrashKitTracing
  import HTTPTypes
  import Hummingbird

  /// Shows requests to a Hummingbird server in CrashKit's reports.
  public enum CrashKitHummingbird {
    /// Opens a context for each request. A report names the request that crashed, and all other running requests.
    ///
    /// ```swift
    /// let router = Router()
    /// router.add(middleware: CrashKitHummingbird.Middleware())
    /// ```
    ///
    /// The context has the id of the request as `request.id`, the pattern of its route as `http.route`, and the trace
    /// of the current span. If there is no current span, the trace is read from the header `traceparent`. If another
    /// middleware opens spans, add this middleware after it.
    public struct Middleware<Context: RequestContext>: RouterMiddleware {
      private let name: @Sendable (Request, Context) -> String

      /// Makes the middleware.
      ///
      /// - Parameter name: returns the name of the context. Without it, the name is the method and the path, such as
      ///   `GET /orders/42`. The query is left out, and secrets are masked.
      public init(
        name: @escaping @Sendable (Request, Context) -> String = { request, _ in
          "\(request.method) \(request.uri.path)"
        }
      ) {
        self.name = name
      }

      /// Answers the request in its own context.
      public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
      ) async throws -> Response {
        var attributes: [String: String] = [:]
        attributes["request.id"] = context.logger[metadataKey: "hb.request.id"]?.description
        attributes["http.route"] = context.endpointPath
        let header = request.headers[Self.traceparent]
        let trace = CrashKitTracing.current ?? header.flatMap(CrashKit.Trace.init(traceparent:))
        return try await CrashKit.withContext(name(request, context), attributes, trace: trace) {
          try await next(request, context)
        }
      }

      private static var traceparent: HTTPField.Name { HTTPField.Name("traceparent")! }
    }
  }
#else
  /// If the package trait `CrashKitHummingbird` is off, this type is empty.
  public enum CrashKitHummingbird {
    @available(*, unavailable, message: "CrashKitHummingbird's trait is off: see Docs/packages.md")
    public struct Middleware {
      public init() {}
    }
  }
#endif
