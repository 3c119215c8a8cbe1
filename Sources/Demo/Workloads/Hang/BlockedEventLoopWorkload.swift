import CrashKit
import CrashKitNIO
import NIOCore
import NIOPosix

/// A server on SwiftNIO that reads from a database with a blocking driver. A hang detector watches its event loops.
public struct BlockedEventLoopWorkload: Workload {
  public static let name = "blocked-event-loop"
  public static let summary = "A server with a driver that blocks; a hang detector watches its event loops"

  public static let variants = [
    Variant("correct", "The driver blocks only its own threads, and the event loops serve other connections meanwhile"),
    Variant(
      "reads-on-loop", "A channel handler calls the driver itself, and blocks its event loop",
      planted: [Plant("hang", at: [SlowDatabase.wait, RowHandler.read])]),
  ]

  public init() {}

  public func run(_ variant: Variant, in context: WorkloadContext) async throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
    // Generous: machines that run this are busy.
    CrashKitNIO.watch(group, threshold: .milliseconds(500))
    let server = try await ServerBootstrap(group: group)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(RowHandler(blocks: !variant.isCorrect))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    let port = server.localAddress?.port ?? 0
    try await withThrowingTaskGroup { clients in
      for row in 1...max(2, context.threads) { clients.addTask { try await Self.ask(for: UInt8(clamping: row), port) } }
      try await clients.waitForAll()
    }
    try await server.close().get()
    // The heartbeat that waited runs, and the report is written anew.
    try await Task.sleep(for: .milliseconds(200))
    try await group.shutdownGracefully()
  }

  /// A request is the byte of its row, and so is the answer.
  private static func ask(for row: UInt8, _ port: Int) async throws {
    let connection = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .connect(host: "127.0.0.1", port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    try await connection.executeThenClose { inbound, outbound in
      try await outbound.write(ByteBuffer(bytes: [row]))
      for try await answer in inbound {
        try BrokenPromise.unless(answer.readableBytesView.first == row, "row \(row) got another row's answer")
        return
      }
      throw BrokenPromise(description: "the server closed the connection before it answered")
    }
  }
}

/// Answers one request of a connection.
private final class RowHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let database = SlowDatabase()
  private let blocks: Bool

  init(blocks: Bool) { self.blocks = blocks }

  static let read = Place(below: 5)
  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let request = unwrapInboundIn(data)
    let row = Int(request.readableBytesView.first ?? 0)
    guard blocks else { return readElsewhere(row, request, context) }
    database.read(row)
    context.writeAndFlush(wrapOutboundOut(request), promise: nil)
  }

  private func readElsewhere(_ row: Int, _ request: ByteBuffer, _ context: ChannelHandlerContext) {
    let loop = context.eventLoop
    let bound = NIOLoopBound(context, eventLoop: loop)
    let database = database
    loop.makeFutureWithTask { await database.readElsewhere(row) }.whenComplete { _ in
      bound.value.writeAndFlush(NIOAny(request), promise: nil)
    }
  }
}
