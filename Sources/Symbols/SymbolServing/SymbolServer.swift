import NIOCore
import NIOHTTP1
import NIOPosix
import SymbolStore
import Synchronization

/// Serves a store by HTTP, as debuginfod does: gdb, debuginfod-find, perf and crashsym read from it.
public final class SymbolServer: Sendable {
  /// How many threads answer.
  private static let threads = 2

  private let group: MultiThreadedEventLoopGroup
  private let channel: any Channel

  /// Begins to listen.
  ///
  /// - Parameters:
  ///   - connections: How many there may be at a time; more are closed.
  /// - Throws: If the address cannot be had.
  public init(_ store: StoreReader, host: String, port: Int, connections: Int) throws {
    group = MultiThreadedEventLoopGroup(numberOfThreads: Self.threads)
    let count = ConnectionCount(limit: connections)
    let bootstrap = ServerBootstrap(group: group)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        guard count.take() else { return channel.eventLoop.makeFailedFuture(ChannelError.eof) }
        channel.closeFuture.whenComplete { _ in count.giveBack() }
        return channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: true)
          try channel.pipeline.syncOperations.addHandler(SymbolHandler(store))
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

/// How many connections there are.
private final class ConnectionCount: Sendable {
  private let count = Atomic(0)
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  /// Whether one more may be.
  func take() -> Bool {
    guard count.add(1, ordering: .relaxed).newValue <= limit else {
      giveBack()
      return false
    }
    return true
  }

  func giveBack() { count.subtract(1, ordering: .relaxed) }
}
