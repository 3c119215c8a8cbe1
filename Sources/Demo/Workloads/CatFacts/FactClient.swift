import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOPosix
import Watcher

/// Where facts come from.
protocol FactService: Sendable {
  func page(_ number: Int) async throws -> FactPage
  func fact(_ number: Int) async throws -> Fact
  func breed(_ number: Int) async throws -> Breed
}

/// The connection broke before the answer was complete, or could not be made. Another try may succeed.
struct ConnectionLost: Error {}

/// The server has nothing of that number.
struct NotFound: Error {}

/// Facts from a server on this machine. How long each endpoint takes to answer is noted.
struct FactClient: FactService {
  static let endpoints = ["GET /facts", "GET /facts/ID", "GET /breeds/ID"]

  let port: Int
  let times: Watcher.ResponseTimes

  func page(_ number: Int) async throws -> FactPage { try await get("/facts?page=\(number)", as: Self.endpoints[0]) }
  func fact(_ number: Int) async throws -> Fact { try await get("/facts/\(number)", as: Self.endpoints[1]) }
  func breed(_ number: Int) async throws -> Breed { try await get("/breeds/\(number)", as: Self.endpoints[2]) }

  private func get<Answer: Decodable & Sendable>(_ path: String, as endpoint: String) async throws -> Answer {
    let body = try await times.measure(endpoint) {
      do { return try await content(of: path) } catch is NotFound { throw NotFound() } catch { throw ConnectionLost() }
    }
    return try JSONDecoder().decode(Answer.self, from: body)
  }

  private func content(of path: String) async throws -> Data {
    let connection = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .connect(host: "127.0.0.1", port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHTTPClientHandlers()
          return try NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>(
            wrappingChannelSynchronously: channel)
        }
      }
    return try await connection.executeThenClose { inbound, outbound in
      let headers: HTTPHeaders = ["host": "127.0.0.1:\(port)", "connection": "close"]
      let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: path, headers: headers)
      try await outbound.write(contentsOf: [.head(head), .end(nil)])
      var body = Data()
      for try await part in inbound {
        switch part {
        case .head(let head) where head.status == .notFound: throw NotFound()
        case .head: break
        case .body(let bytes): body.append(contentsOf: bytes.readableBytesView)
        case .end: return body
        }
      }
      throw ConnectionLost()
    }
  }
}
