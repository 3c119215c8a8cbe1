import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOPosix
import ThreadGuard

/// Serves facts on a port of the loopback interface, one request a connection: `/facts?page=N`, `/facts/N`, `/breeds/N`.
final class FactServer: Sendable {
  private typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

  private let collection: FactCollection
  private let temper: ServerTemper
  private let attempts = ThreadGuard.GuardedMutex("server.attempts", [String: Int]())

  private init(_ collection: FactCollection, _ temper: ServerTemper) {
    self.collection = collection
    self.temper = temper
  }

  /// Serves as long as `body` runs, which is given the port.
  static func serve<Result: Sendable>(
    _ collection: FactCollection, temper: ServerTemper, while body: (_ port: Int) async throws -> Result
  ) async throws -> Result {
    let server = FactServer(collection, temper)
    let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .bind(host: "127.0.0.1", port: 0) { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.configureHTTPServerPipeline()
          return try Connection(wrappingChannelSynchronously: channel)
        }
      }
    let port = listener.channel.localAddress?.port ?? 0
    return try await withThrowingTaskGroup { group in
      group.addTask { try await server.accept(listener) }
      defer { group.cancelAll() }
      return try await body(port)
    }
  }

  private func accept(_ listener: NIOAsyncChannel<Connection, Never>) async throws {
    try await withThrowingDiscardingTaskGroup { group in
      try await listener.executeThenClose { connections in
        for try await connection in connections {
          // A client that has gone away is no reason to stop serving others.
          group.addTask { try? await self.answer(connection) }
        }
      }
    }
  }

  private func answer(_ connection: Connection) async throws {
    try await connection.executeThenClose { inbound, outbound in
      for try await case .head(let request) in inbound {
        switch temper.treatment(of: request.uri, attempt: nextAttempt(request.uri)) {
        case .losesConnection: return
        case .answersAfter(let delay): try await Task.sleep(for: delay)
        case .answersAtOnce: break
        }
        try await outbound.write(contentsOf: response(to: request))
        return
      }
    }
  }

  private func nextAttempt(_ path: String) -> Int {
    attempts.withLock { attempts in
      attempts[path, default: 0] += 1
      return attempts[path, default: 0]
    }
  }

  private func response(to request: HTTPRequestHead) throws -> [HTTPServerResponsePart] {
    let body = try content(of: request.uri).map { ByteBuffer(bytes: $0) }
    let headers: HTTPHeaders = ["content-length": "\(body?.readableBytes ?? 0)", "connection": "close"]
    let head = HTTPResponseHead(version: .http1_1, status: body == nil ? .notFound : .ok, headers: headers)
    return [.head(head), .body(.byteBuffer(body ?? ByteBuffer())), .end(nil)]
  }

  private func content(of path: String) throws -> Data? {
    let parts = path.split { "/?=".contains($0) }
    let number = parts.last.flatMap { Int($0) } ?? 0
    let encoder = JSONEncoder()
    return switch parts.dropLast() {
    case ["facts", "page"]: try collection.page(number).map(encoder.encode)
    case ["facts"]: try collection.fact(number).map(encoder.encode)
    case ["breeds"]: try collection.breed(number).map(encoder.encode)
    default: nil
    }
  }
}
