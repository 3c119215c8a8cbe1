import CrashKit
import CrashKitUpload
import Glibc
import Logging
import ServiceLifecycle

/// `upload-probe crash` dies. `upload-probe serve [DESTINATION]` sends until SIGTERM. `upload-probe hand-over DESTINATION`
/// sends from `onPreviousCrash`, and ends.
@main struct Probe {
  static func main() async throws {
    let arguments = CommandLine.arguments
    let destination = arguments.count > 2 ? arguments[2] : nil
    let configuration = CrashKitUpload.Configuration(
      to: destination, keeping: ["request.id"],
      certificateFile: getenv("PROBE_CERTIFICATES").map { String(cString: $0) },
      // Far longer than a check waits.
      timeLimit: .seconds(3600))
    let upload = try CrashKitUpload(configuration)
    switch arguments[1] {
    case "crash":
      try CrashKit.install(.init(application: .init(name: "probe", version: "1.0")))
      CrashKit.setAttribute("tenant", "blue-tenant")
      CrashKit.setAttribute("request.id", "7f3a")
      fall()
    case "hand-over":
      let (ends, end) = AsyncStream.makeStream(of: Void.self)
      try CrashKit.install(
        .init { _ in
          upload.sendStoredReports()
          end.finish()
        })
      for await _ in ends {}
    default:
      try CrashKit.install()
      let group = ServiceGroup(
        services: [upload], gracefulShutdownSignals: [.sigterm], cancellationSignals: [.sigint],
        logger: Logger(label: "probe"))
      try await group.run()
    }
    print("ended")
  }

  @inline(never) private static func fall() {
    UnsafeMutablePointer<Int>(bitPattern: 8)!.pointee = 1
  }
}
