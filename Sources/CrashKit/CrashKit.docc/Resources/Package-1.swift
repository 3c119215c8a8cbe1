// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "api",
  dependencies: [
    .package(url: "https://github.com/OWNER/swift-crashkit", branch: "main", traits: [])
  ],
  targets: [
    .executableTarget(name: "api", dependencies: [.product(name: "CrashKit", package: "swift-crashkit")])
  ])
