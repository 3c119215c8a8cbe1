// swift-tools-version: 6.2
import PackageDescription

// What all tests need.
let common: [Target.Dependency] = [
  "TestTracer",
  .product(name: "CrashKit", package: "swift-crashkit"),
  .product(name: "Instrumentation", package: "swift-distributed-tracing"),
]

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
      dependencies: common + [
        .product(name: "CrashKitLogging", package: "swift-crashkit"), .product(name: "Logging", package: "swift-log"),
      ]),
    .testTarget(
      name: "TracingTests",
      dependencies: common + [.product(name: "CrashKitTracing", package: "swift-crashkit")]),
  ]
)
