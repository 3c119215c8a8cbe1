// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "hummingbird-server",
  dependencies: [
    .package(name: "swift-crashkit", path: "../..", traits: ["CrashKitHummingbird"]),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
  ],
  targets: [
    .executableTarget(
      name: "HummingbirdServer",
      dependencies: [
        .product(name: "CrashKit", package: "swift-crashkit"),
        .product(name: "CrashKitHummingbird", package: "swift-crashkit"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ])
  ]
)
