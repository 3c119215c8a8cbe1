#if Desk
  import NIOCore
  import NIOHTTPTypes
  import SymbolServing

  /// Reports for what a connection waits, so that clients that hold connections do not keep out other clients: an
  /// incomplete request, no request at all, or an answer that its client does not read.
  final class ConnectionRoom: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let connections: Connections
    private var connection: Connections.Connection?
    private var hasWholeRequest = false
    /// A refusal may be there before the rest of its request.
    private var hasAnswered = false

    init(_ connections: Connections) { self.connections = connections }

    func handlerAdded(context: ChannelHandlerContext) {
      if context.channel.isActive { begin(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
      begin(context)
      context.fireChannelActive()
    }

    private func begin(_ context: ChannelHandlerContext) {
      guard connection == nil else { return }
      guard let connection = connections.take(context.channel) else { return context.close(promise: nil) }
      self.connection = connection
      context.channel.closeFuture.whenComplete { [connections] _ in connections.remove(connection) }
    }

    /// A request begins to count when its head is there: a byte now and then is no progress.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .head:
        (hasWholeRequest, hasAnswered) = (false, false)
        connection?.waits(forRequest: true)
      case .body: break
      case .end:
        hasWholeRequest = true
        if !hasAnswered { connection?.works() }
      }
      context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      if case .end = unwrapOutboundIn(data) {
        hasAnswered = true
        connection?.waits(forRequest: true)
      }
      context.write(data, promise: promise)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
      if hasWholeRequest, !hasAnswered {
        if context.channel.isWritable { connection?.works() } else { connection?.waits(forRequest: false) }
      }
      context.fireChannelWritabilityChanged()
    }
  }
#endif
