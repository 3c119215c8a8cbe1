import CCrashCapture

/// The context of a task. It closes when no task has it any more.
final class ContextScope: Sendable {
  static let current = makeCurrent()

  // The first stored property: the crash handler reads it by its place.
  fileprivate let number: UInt32
  // The innermost context's first: only so many have room in a report.
  private let attributes: [(key: String, value: String)]
  let trace: CrashKit.Trace?

  /// Opens a context with the keys and values of the one around it, and its trace if there is no other.
  init(_ name: String, _ own: [String: String], _ given: CrashKit.Trace?) {
    let outer = Self.current.get()
    let outerAttributes = (outer?.attributes ?? []).filter { own[$0.key] == nil }
    let attributes = own.sorted { $0.key < $1.key } + outerAttributes
    let trace = given ?? CrashKit.traceSource.withLock { $0 }?() ?? outer?.trace
    self.attributes = attributes
    self.trace = trace
    number = CrashKit.withCharacters(of: name) { name in
      CrashKit.withEncoded(attributes) { attributes in
        guard let trace else { return ck_context_open(name.baseAddress, name.count, attributes, nil) }
        return trace.withEncoded { ck_context_open(name.baseAddress, name.count, attributes, $0) }
      }
    }
  }

  deinit { ck_context_close(number) }

  /// The body with this as the context of a thread that runs no task.
  func onThread<Result>(_ body: () throws -> Result) rethrows -> Result {
    let before = ck_context_enter_thread(number)
    defer { _ = ck_context_enter_thread(before) }
    return try body()
  }

  private static func makeCurrent() -> TaskLocal<ContextScope?> {
    let current = TaskLocal<ContextScope?>(wrappedValue: nil)
    ck_context_set_key(Unmanaged.passUnretained(current).toOpaque())
    return current
  }
}

/// The context of a thread that runs no task, until the thread leaves the context.
package final class ThreadContext {
  private let scope: ContextScope
  private let before: UInt32

  /// Opens a context and enters it.
  package init(_ name: String, _ attributes: [String: String]) {
    scope = ContextScope(name, attributes, nil)
    before = ck_context_enter_thread(scope.number)
  }

  /// Returns to the previous context. Call it on the thread that entered this context.
  package func leave() { _ = ck_context_enter_thread(before) }
}

extension CrashKit {
  /// Opens a context for the task while `operation` runs. A context describes the current work, such as one request. A
  /// report names the context of each thread and task; the context of a crashed task comes first.
  ///
  /// ```swift
  /// try await CrashKit.withContext("GET /orders/42", ["request.id": id]) {
  ///   try await handle(request)
  /// }
  /// ```
  ///
  /// The context follows the task from thread to thread, to its children and to `Task { }`, but not to `Task.detached`.
  /// An inner context also has the keys, values and trace of the context around it. At most 4,096 contexts can be open
  /// at a time. CrashKit does not keep further contexts, and the report then shows that contexts are missing.
  ///
  /// - Parameters:
  ///   - isolation: The actor on which `operation` runs; by default, the actor of the caller.
  ///   - name: At most 128 bytes of UTF-8. Secrets in it are masked.
  ///   - attributes: Keys and values, with the limits and the masking of a breadcrumb's attributes. If this context and
  ///     the contexts around it have more than 16 attributes in all, CrashKit keeps the attributes of the innermost
  ///     contexts. The report shows how many attributes are missing.
  ///   - trace: The trace to which the context belongs. After `CrashKitTracing.start()` you need not pass a trace.
  ///   - operation: The work that runs in the context.
  public static func withContext<Result>(
    isolation: isolated (any Actor)? = #isolation, _ name: String, _ attributes: [String: String] = [:],
    trace: Trace? = nil, operation: () async throws -> Result
  ) async rethrows -> Result {
    try await ContextScope.current.withValue(
      ContextScope(name, attributes, trace), operation: operation, isolation: isolation)
  }

  /// Opens a context for the task or the thread while the synchronous `operation` runs.
  public static func withContext<Result>(
    _ name: String, _ attributes: [String: String] = [:], trace: Trace? = nil, operation: () throws -> Result
  ) rethrows -> Result {
    let scope = ContextScope(name, attributes, trace)
    return try ContextScope.current.withValue(scope) { try scope.onThread(operation) }
  }
}
