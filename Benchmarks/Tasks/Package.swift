// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "task-benchmark",
  dependencies: [.package(name: "swift-crashkit", path: "../..")],
  targets: [
    .executableTarget(
      name: "task-captures", dependencies: [.product(name: "CrashKit", package: "swift-crashkit")])
  ]
)
