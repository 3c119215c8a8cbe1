import CLinuxCalls
import Glibc
import NIOCore
import NIOPosix
import Synchronization

/// A channel of an event loop that gets no events except its end.
///
/// An event loop closes its channels before it refuses work. So while this channel is open, any thread can enqueue work
/// without the risk that the event loop is shut down, which SwiftNIO treats as a mistake of the program.
final class Membership: Sendable {
  /// The channel's descriptor in the event loop's epoll. The event loop closes it.
  let descriptor: Int32
  private let loop: any EventLoop
  /// Set while the channel is open.
  private let channel = Mutex<(any Channel)?>(nil)

  /// Returns `nil` if the event loop does not belong to a `MultiThreadedEventLoopGroup`, or if the system refuses a
  /// descriptor.
  init?(of loop: any EventLoop) {
    guard NIOPipeBootstrap(validatingGroup: loop) != nil else { return nil }
    descriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
    guard descriptor >= 0 else { return nil }
    self.loop = loop
  }

  /// Begins the membership, once. `whenOver` is called on the event loop.
  func begin(whenOver: @escaping @Sendable () -> Void) -> EventLoopFuture<Void> {
    let listener: @Sendable () -> Listener = { [self] in
      Listener {
        self.channel.withLock { $0 = nil }
        whenOver()
      }
    }
    let bootstrap = NIOPipeBootstrap(group: loop).channelInitializer { channel in
      channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(listener()) }
    }
    let opened = bootstrap.takingOwnershipOfDescriptor(input: descriptor)
    opened.whenFailure { [descriptor] _ in close(descriptor) }
    return opened.map { opened in
      if opened.isActive { self.channel.withLock { $0 = opened } }
    }
  }

  /// Ends the membership.
  func end() { channel.withLock { $0?.close(promise: nil) } }

  /// Gives the event loop some work, unless the membership is over. The channel cannot end meanwhile.
  func execute(_ work: @escaping @Sendable () -> Void) {
    channel.withLock { $0?.eventLoop.execute(work) }
  }

  private final class Listener: ChannelInboundHandler {
    typealias InboundIn = NIOAny
    private let whenOver: () -> Void
    init(_ whenOver: @escaping () -> Void) { self.whenOver = whenOver }
    func channelInactive(context: ChannelHandlerContext) { whenOver() }
  }
}
