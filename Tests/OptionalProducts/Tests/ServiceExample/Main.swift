import CrashKit
import CrashKitService
import Logging
import ServiceLifecycle

@main struct API {
  static func main() async throws {
    let configuration = CrashKit.Configuration(application: .init(name: "api", version: "2.1"))
    let crashKit = try CrashKitService(configuration) { report in
      try await upload(report.data())
    } detectors: {
      [
        CrashKit.HangDetector.start(threshold: .milliseconds(250)),
        CrashKit.HangDetector.start(threshold: .seconds(1), poolsOf: [.medium]),
      ]
    }
    let group = ServiceGroup(
      services: [crashKit, Server()], gracefulShutdownSignals: [.sigterm, .sigint], logger: Logger(label: "api"))
    try await group.run()
  }
}
