// swift-tools-version: 6.2
import PackageDescription

// The desk: its trait is off by default.
let package = Package(
  name: "desk-product",
  dependencies: [
    // CrashKitHummingbird is here for its documentation: most of what it needs is the desk's too.
    .package(name: "swift-crashkit", path: "../..", traits: ["CrashKitHummingbird", "Desk"]),
    // For Scripts/checks/docc.py.
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.4.0"),
  ],
  targets: [
    .testTarget(
      name: "DeskTests",
      dependencies: [
        .product(name: "Desk", package: "swift-crashkit"), .product(name: "crashsym", package: "swift-crashkit"),
        .product(name: "Watcher", package: "swift-crashkit"), .product(name: "WatcherDesk", package: "swift-crashkit"),
        .product(name: "CrashKitHummingbird", package: "swift-crashkit"),
      ])
  ]
)
