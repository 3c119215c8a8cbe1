import NIOCore
import NIOHTTP1
import NIOPosix
import SymbolStore

/// Serves a store by HTTP, as debuginfod does: gdb, debuginfod-find, perf and crashsym read from it.
public final class SymbolServer: Sendable {
  /// How many threads answer.
  private static let threads = 2

  private let group: MultiThreadedEventLoopGroup
  private let channel: any Channel

  /// Begins to listen.
  ///
  /// - Parameters:
  ///   - connections: How many there may be at a time. For one more, the one is closed that waits longest for its
  ///     client, of the client that has most; if none waits, the new one.
  /// - Throws: If the address cannot be had.
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

  /// The port: that which was given, or if that was 0, any that was free.
  public var port: Int { channel.localAddress?.port ?? 0 }

  /// Ends it, with the transfers under way.
  public func stop() { try? group.syncShutdownGracefully() }
}
