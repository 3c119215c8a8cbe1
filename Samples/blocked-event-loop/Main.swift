// A server on SwiftNIO whose channel handler calls a driver that blocks: its event loop serves no other connection.

import CrashKit
import CrashKitNIO
import NIOCore
import NIOPosix

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// Stores what it is given. Its driver has no asynchronous calls.
struct Storage {
  func store(_ bytes: ByteBuffer) { usleep(900_000) }
}

/// Stores what a client sends, and sends it back.
final class StoringHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer
  private let storage = Storage()

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    // The mistake: all connections of this event loop wait until the driver returns.
    storage.store(unwrapInboundIn(data))
    context.writeAndFlush(data, promise: nil)
  }
}

@main
struct Main {
  static func main() async throws {
    try CrashKit.install(.init(application: .init(name: "blocked-event-loop", version: "1.0")))
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    CrashKitNIO.watch(group, threshold: .milliseconds(250))
    let server = try await ServerBootstrap(group: group)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(StoringHandler()) }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    // The detector has to have seen the event loop run.
    try await Task.sleep(for: .milliseconds(600))
    try await send("order 1", to: server.localAddress!)
    try await server.close()
    // The event loop runs again, and the report is written anew, with the length of the hang.
    try await Task.sleep(for: .milliseconds(500))
    try await group.shutdownGracefully()
  }

  /// Sends a text, and waits until it comes back.
  private static func send(_ text: String, to address: SocketAddress) async throws {
    let connection = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .connect(to: address) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    try await connection.executeThenClose { inbound, outbound in
      try await outbound.write(ByteBuffer(string: text))
      var left = text.utf8.count
      for try await bytes in inbound {
        left -= bytes.readableBytes
        if left <= 0 { return }
      }
    }
  }
}
