import CLinuxCalls
import Glibc
import NIOCore
import NIOPosix
import Synchronization

/// A channel among those of an event loop, to which nothing ever happens but its end.
///
/// An event loop closes its channels before it refuses work. So work can be given to it from any thread without the luck
/// of meeting its shutdown: SwiftNIO takes that for a mistake of the program.
final class Membership: Sendable {
  /// What the event loop's epoll has of the channel. The event loop closes it.
  let descriptor: Int32
  private let loop: any EventLoop
  /// Set while the channel is open.
  private let channel = Mutex<(any Channel)?>(nil)

  /// Returns `nil` if the event loop is none of `MultiThreadedEventLoopGroup`, or if the system refuses a descriptor.
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
