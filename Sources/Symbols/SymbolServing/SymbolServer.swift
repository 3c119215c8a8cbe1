import NIOCore
import NIOHTTP1
import NIOPosix
import SymbolStore

/// Serves a store over HTTP with debuginfod's protocol, so that gdb, debuginfod-find, perf and crashsym can read it.
public final class SymbolServer: Sendable {
  /// How many threads answer.
  private static let threads = 2

  private let group: MultiThreadedEventLoopGroup
  private let channel: any Channel

  /// Begins to listen.
  ///
  /// - Parameters:
  ///   - connections: The highest number of connections at a time. If there are more, the server closes the longest
  ///     idle connection of the client with the most connections. If no connection is idle, the server closes the new
  ///     connection.
  /// - Throws: If the address is not available.
  public init(_ store: StoreReader, host: String, port: Int, connections: Int) throws {
    group = MultiThreadedEventLoopGroup(numberOfThreads: Self.threads)
    let connections = Connections(limit: connections)
    let bootstrap = ServerBootstrap(group: group)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        guard let connection = connections.take(channel) else {
          return channel.eventLoop.makeFailedFuture(ChannelError.eof)
        }
        channel.closeFuture.whenComplete { _ in connections.remove(connection) }
        return channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: true)
          try channel.pipeline.syncOperations.addHandler(SymbolHandler(store, connection))
        }
      }
    do {
      channel = try bootstrap.bind(host: host, port: port).wait()
    } catch {
      try? group.syncShutdownGracefully()
      throw error
    }
  }

  /// The port. If the given port was 0, the server has chosen a free one.
  public var port: Int { channel.localAddress?.port ?? 0 }

  /// Ends the server and all current transfers.
  public func stop() { try? group.syncShutdownGracefully() }
}
