import ServiceLifecycle

/// What the program is for.
struct Server: Service {
  func run() async throws { try await gracefulShutdown() }
}

/// Sends a report to where its readers are.
func upload(_ report: [UInt8]) async throws { print("a report of \(report.count) bytes") }
