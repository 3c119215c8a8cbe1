// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "crashkit-benchmarks",
  dependencies: [
    .package(name: "swift-crashkit", path: "..", traits: ["CrashKitLogging"]),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
  ],
  targets: [
    .target(name: "CPeers"),
    .executableTarget(
      name: "throws", dependencies: [.product(name: "CrashKit", package: "swift-crashkit")]),
    .executableTarget(
      name: "breadcrumbs",
      dependencies: [
        "CPeers",
        .product(name: "CrashKit", package: "swift-crashkit"),
        .product(name: "CrashKitLogging", package: "swift-crashkit"),
        .product(name: "Instrumentation", package: "swift-distributed-tracing"),
        .product(name: "Logging", package: "swift-log"),
      ]),
  ]
)
