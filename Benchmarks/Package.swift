// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "crashkit-benchmarks",
  dependencies: [
    .package(name: "swift-crashkit", path: ".."),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
  ],
  targets: [
    .target(name: "CPeers"),
    .executableTarget(
      name: "breadcrumbs",
      dependencies: [
        "CPeers",
        .product(name: "CrashKit", package: "swift-crashkit"),
        .product(name: "Logging", package: "swift-log"),
      ]),
  ]
)
