// swift-tools-version: 6.2
import PackageDescription

// The desk: its trait is off by default.
let package = Package(
  name: "desk-product",
  dependencies: [
    .package(name: "swift-crashkit", path: "../..", traits: ["Desk"])
  ],
  targets: [
    .testTarget(
      name: "DeskTests",
      dependencies: [
        .product(name: "Desk", package: "swift-crashkit"), .product(name: "crashsym", package: "swift-crashkit"),
        .product(name: "Watcher", package: "swift-crashkit"), .product(name: "WatcherDesk", package: "swift-crashkit"),
      ])
  ]
)
