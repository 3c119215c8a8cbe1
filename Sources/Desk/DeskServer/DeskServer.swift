#if Desk
  import Dispatch
  import HTTPTypes
  import Hummingbird
  import Logging
  import NIOCore
  import ReportSending
  import ServiceLifecycle
  import SymbolServing
  import Synchronization

  /// Serves a desk over HTTP until SIGTERM or SIGINT.
  public enum DeskServer {
    /// The highest number of connections at a time.
    public static let mostConnections = 512

    /// Serves a desk until a signal ends it.
    ///
    /// - Parameters:
    ///   - desk: The desk.
    ///   - host: The address to listen on: a host name or an IP address.
    ///   - port: The port; 0 selects any free port.
    ///   - watched: Folders from which the desk reads new reports.
    ///   - patience: The time limits for clients.
    ///   - limit: The highest number of connections at a time. If there are more, the desk closes one of the idle
    ///     connections. A connection is idle while the desk waits for its client to send a request or to read an
    ///     answer. Of the clients with idle connections, the desk chooses the client with the most connections. It
    ///     closes the connection of this client that has been idle for the longest time. If no connection is idle, the
    ///     desk closes the new connection.
    ///   - onStart: Gets the port when the desk is ready.
    /// - Throws: The error that prevents listening.
    public static func run(
      _ desk: Desk, host: String, port: Int, watched: [WatchedFolder] = [], patience: Patience = .init(),
      connections limit: Int = mostConnections, onStart: @escaping @Sendable (Int) -> Void
    ) async throws {
      var logger = Logger(label: "crashsym.desk") { StreamLogHandler.standardError(label: $0) }
      logger.logLevel = .error
      let responder = CallbackResponder<BasicRequestContext> { request, _ in await answer(desk, request) }
      let connections = Connections(limit: limit)
      let application = Application(
        responder: responder,
        server: .http1(
          configuration: .init(
            additionalChannelHandlers: [ConnectionRoom(connections), RequestDeadline(patience)],
            idleTimeout: .seconds(60))),
        configuration: .init(address: .hostname(host, port: port)),
        onServerRunning: { channel in
          let port = channel.localAddress?.port ?? port
          desk.listens(at: "http://\(host.contains(":") ? "[\(host)]" : host):\(port)")
          onStart(port)
        }, logger: logger)
      let chores = [
        Task { await desk.tidy() }, Task { await desk.beat() }, Task { await desk.programs.run() },
        Task { await desk.fillInLate() },
      ]
      let (stop, over) = (StopSignal(), DispatchSemaphore(value: 0))
      for folder in watched {
        folder.follow(for: desk, until: stop) { over.signal() }
      }
      defer {
        for chore in chores { chore.cancel() }
        // A report that is being stored is stored.
        stop.stop()
        for _ in watched { over.wait() }
      }
      try await application.runService()
    }

    /// Runs asynchronous work from a command's thread and waits for its end. Returns the error if the work failed.
    public static func wait(_ work: @escaping @Sendable () async throws -> Void) -> (any Error)? {
      let end = DispatchSemaphore(value: 0)
      let failure = Mutex<(any Error)?>(nil)
      Task.detached {
        do {
          try await work()
        } catch {
          failure.withLock { $0 = error }
        }
        end.signal()
      }
      end.wait()
      return failure.withLock { $0 }
    }

    private static let longestClaim = 1 << 16

    private static func answer(_ desk: Desk, _ request: Request) async -> Response {
      let share = desk.room.share()
      var wanted = DeskRequest(
        request.method.rawValue, request.head.path ?? "/", authority: request.head.authority, headers: request.headers
      ) { limit in
        do {
          var bytes: [UInt8] = []
          // A claim is not trusted with more.
          let claimed = request.headers[.contentLength].flatMap { Int($0) } ?? 0
          bytes.reserveCapacity(min(max(claimed, 0), limit, longestClaim))
          for try await part in request.body {
            guard bytes.count + part.readableBytes <= limit else {
              throw Refusal(.tooLarge, "the body is longer than \(limit) bytes")
            }
            try share.take(part.readableBytes)
            part.withUnsafeReadableBytes { bytes.append(contentsOf: $0) }
          }
          return bytes
        } catch let refusal as Refusal {
          throw refusal
        } catch {
          throw Refusal(.bad, "the body is incomplete")
        }
      }
      wanted.hold = share.take
      wanted.save = { limit, take in
        var length = 0
        for try await part in request.body {
          length += part.readableBytes
          guard length <= limit else { throw Refusal(.tooLarge, "the body is longer than \(limit) bytes") }
          try part.withUnsafeReadableBytes(take)
        }
      }
      let answer = await desk.answer(to: wanted)
      withExtendedLifetime(share) {}
      let response = Response(status: answer.status, headers: answer.headers, body: body(of: answer))
      return request.method == .head ? response.createHeadResponse() : response
    }

    private static func body(of answer: DeskAnswer) -> ResponseBody {
      guard let events = answer.events else { return .init(byteBuffer: ByteBuffer(bytes: answer.body)) }
      return ResponseBody { writer in
        // From here on nothing is missed.
        let listened = try events()
        try await writer.write(ByteBuffer(bytes: answer.body))
        try await write(listened, by: writer)
        try await writer.finish(nil)
      }
    }

    /// Writes until the desk ends or the browser goes away.
    ///
    /// - Throws: If the browser is gone or is given up: then the connection is closed.
    private static func write(_ listened: ListenedEvents, by writer: any ResponseBodyWriter) async throws {
      let held = HeldWriter(writer: writer)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          var writer = held.writer
          // The end of the desk ends them too.
          for await text in listened.texts.cancelOnGracefulShutdown() {
            try await writer.write(ByteBuffer(string: text))
          }
        }
        group.addTask {
          // A browser that does not read keeps the other task waiting.
          for await _ in listened.end {}
          if !Task.isCancelled { throw SlowReader() }
        }
        defer { group.cancelAll() }
        try await group.next()
      }
    }

    private struct SlowReader: Error {}

    /// Safe: one task alone uses it.
    private struct HeldWriter: @unchecked Sendable { let writer: any ResponseBodyWriter }
  }
#endif
