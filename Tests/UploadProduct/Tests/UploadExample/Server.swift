import ServiceLifecycle

/// What the program is for.
struct Server: Service {
  func run() async throws { try await gracefulShutdown() }
}
