#if Desk
  import HTTPTypes
  import NIOCore
  import NIOHTTPTypes

  /// The time limits for clients. The desk disconnects a slower client.
  public struct Patience: Sendable {
    /// How long a client may take to send the head of a request, counted from its connection or from the previous
    /// answer.
    public var head = TimeAmount.seconds(30)
    /// How long a client may take to send the rest of a request after the head.
    public var body = TimeAmount.minutes(2)
    /// How long a client may take to send the rest of a request that uploads symbols. Such a request may be large.
    public var symbols = TimeAmount.minutes(30)
    /// How long a client may take to read the answer.
    public var answer = TimeAmount.minutes(2)

    /// Sets the default limits, which a well-behaved client does not exceed.
    public init() {}
  }

  /// Closes a connection whose client sends or reads too slowly. A byte now and then does not keep it open.
  final class RequestDeadline: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let patience: Patience
    private var deadline: Scheduled<Void>?
    /// Whether the answer is sent in pieces, as long as the client listens.
    private var isLong = false

    init(_ patience: Patience) { self.patience = patience }

    func handlerAdded(context: ChannelHandlerContext) {
      if context.channel.isActive { allow(patience.head, context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

    func channelActive(context: ChannelHandlerContext) {
      allow(patience.head, context)
      context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
      deadline?.cancel()
      context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .head(let head):
        let path = head.path?.prefix { $0 != "?" } ?? ""
        isLong = path == "/events" || path.hasPrefix("/live/")
        allow(head.path == "/api/symbols" ? patience.symbols : patience.body, context)
      case .body: break
      case .end:
        deadline?.cancel()
        if !isLong { allow(patience.answer, context) }
      }
      context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      if case .end = unwrapOutboundIn(data) { allow(patience.head, context) }
      context.write(data, promise: promise)
    }

    private func allow(_ time: TimeAmount, _ context: ChannelHandlerContext) {
      deadline?.cancel()
      deadline = context.eventLoop.assumeIsolated().scheduleTask(in: time) { context.close(promise: nil) }
    }
  }
#endif
