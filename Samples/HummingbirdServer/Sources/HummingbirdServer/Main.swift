// A Hummingbird 2 server with a route that crashes while others compute, sleep and block.

import CrashKit
import Hummingbird
import NIOPosix

@main
struct Main {
  /// `HummingbirdServer [PORT [THREADS]]`: serves on the loopback interface; port 0, the default, is the kernel's choice.
  /// Prints `listening on PORT` once it serves.
  static func main() async throws {
    try CrashKit.install(.init(application: .init(name: "HummingbirdServer", version: "1.0")))

    let (port, threads) = (argument(1) ?? 0, argument(2) ?? 8)
    let application = Application(
      router: makeRouter(),
      configuration: .init(address: .hostname("127.0.0.1", port: port)),
      onServerRunning: { channel in
        guard let port = channel.localAddress?.port else { return }
        CrashKit.record("listening", category: "lifecycle", attributes: ["port": "\(port)"])
        print("listening on \(port)")
        flushStandardOutput()
      },
      eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup(numberOfThreads: threads)))
    try await application.runService()
  }

  private static func argument(_ number: Int) -> Int? {
    CommandLine.arguments.dropFirst(number).first.flatMap(Int.init)
  }
}
