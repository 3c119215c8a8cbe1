import CrashKit
import CrashKitUpload
import Logging
import ServiceLifecycle

@main struct API {
  static func main() async throws {
    try CrashKit.install()
    let upload = try CrashKitUpload(.init(to: "sentry", keeping: ["request.id"]))
    let group = ServiceGroup(
      services: [upload, Server()], gracefulShutdownSignals: [.sigterm, .sigint], logger: Logger(label: "api"))
    try await group.run()
  }
}
