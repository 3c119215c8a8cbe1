// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "checks-benchmark",
  dependencies: [.package(name: "swift-crashkit", path: "../..", traits: ["ThreadGuardInRelease"])],
  targets: [
    .executableTarget(
      name: "checks-benchmark", dependencies: [.product(name: "ThreadGuard", package: "swift-crashkit")])
  ]
)
