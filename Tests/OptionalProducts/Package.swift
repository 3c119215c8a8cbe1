// swift-tools-version: 6.2
import PackageDescription

// What all tests need.
let common: [Target.Dependency] = [
  "TestTracer",
  .product(name: "CrashKit", package: "swift-crashkit"),
  .product(name: "Instrumentation", package: "swift-distributed-tracing"),
]

// What programs that are services need.
let service: [Target.Dependency] = [
  .product(name: "CrashKit", package: "swift-crashkit"),
  .product(name: "CrashKitService", package: "swift-crashkit"),
  .product(name: "Logging", package: "swift-log"),
  .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
]

// Products whose traits are off by default: the package's own tests cannot have what these need.
let package = Package(
  name: "optional-products",
  dependencies: [
    .package(
      name: "swift-crashkit", path: "../..",
      traits: ["CrashKitLogging", "CrashKitService", "CrashKitTesting", "CrashKitTracing"]),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    // For Scripts/checks/docc.py.
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.4.0"),
  ],
  targets: [
    .target(
      name: "TestTracer",
      dependencies: [.product(name: "Instrumentation", package: "swift-distributed-tracing")],
      path: "Tests/TestTracer"),
    .testTarget(
      name: "LoggingTests",
      dependencies: common + [
        .product(name: "CrashKitLogging", package: "swift-crashkit"), .product(name: "Logging", package: "swift-log"),
      ]),
    .testTarget(name: "ServiceTests", dependencies: ["service-example", "service-probe"]),
    // What Docs/service.md shows, and what it takes for granted.
    .executableTarget(name: "service-example", dependencies: service, path: "Tests/ServiceExample"),
    .executableTarget(
      name: "service-probe",
      dependencies: service + [
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "ThreadGuard", package: "swift-crashkit"),
      ], path: "Tests/ServiceProbe"),
    .testTarget(
      name: "TestingTests",
      dependencies: [
        .product(name: "CrashKit", package: "swift-crashkit"),
        .product(name: "CrashKitTesting", package: "swift-crashkit"),
      ]),
    .testTarget(
      name: "TracingTests",
      dependencies: common + [.product(name: "CrashKitTracing", package: "swift-crashkit")]),
  ]
)
