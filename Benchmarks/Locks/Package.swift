// swift-tools-version: 6.2
import PackageDescription

// What is timed is optimised in every build: it is the locks that differ.
let package = Package(
  name: "locks-benchmark",
  dependencies: [.package(name: "swift-crashkit", path: "../..")],
  targets: [
    .target(name: "CLocks", cSettings: [.define("_GNU_SOURCE"), .unsafeFlags(["-O2"])]),
    .target(name: "LockRows", dependencies: ["CLocks"], swiftSettings: [.unsafeFlags(["-O"])]),
    .executableTarget(name: "plain", dependencies: ["LockRows"]),
    .executableTarget(
      name: "linked", dependencies: ["LockRows", .product(name: "ThreadGuard", package: "swift-crashkit")]),
  ]
)
