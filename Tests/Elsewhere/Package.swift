// swift-tools-version: 6.2
import PackageDescription

// CrashKit, ThreadGuard and Watcher as systems have them on which they do not work. Scripts/checks/elsewhere.py sets the variable that pretends so.
let package = Package(
  name: "elsewhere",
  dependencies: [.package(name: "swift-crashkit", path: "../..", traits: [])],
  targets: [
    .testTarget(
      name: "ElsewhereTests",
      dependencies: [
        .product(name: "CrashKit", package: "swift-crashkit"), .product(name: "ThreadGuard", package: "swift-crashkit"),
        .product(name: "Watcher", package: "swift-crashkit"),
      ])
  ]
)
