// swift-tools-version: 6.2
import PackageDescription

// Products whose traits are off by default: the package's own tests cannot have what these need.
let package = Package(
  name: "optional-products",
  dependencies: [
    .package(name: "swift-crashkit", path: "../..", traits: ["CrashKitLogging", "CrashKitTracing"]),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
  ],
  targets: [
    .target(
      name: "TestTracer",
      dependencies: [.product(name: "Instrumentation", package: "swift-distributed-tracing")],
      path: "Tests/TestTracer"),
    .testTarget(
      name: "LoggingTests",
      dependencies: [
        "TestTracer",
        .product(name: "CrashKit", package: "swift-crashkit"),
        .product(name: "CrashKitLogging", package: "swift-crashkit"),
        .product(name: "Instrumentation", package: "swift-distributed-tracing"),
        .product(name: "Logging", package: "swift-log"),
      ]),
    .testTarget(
      name: "TracingTests",
      dependencies: [
        "TestTracer",
        .product(name: "CrashKit", package: "swift-crashkit"),
        .product(name: "CrashKitTracing", package: "swift-crashkit"),
        .product(name: "Instrumentation", package: "swift-distributed-tracing"),
      ]),
  ]
)
