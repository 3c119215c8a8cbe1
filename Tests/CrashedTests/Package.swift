// swift-tools-version: 6.2
import PackageDescription

// Tests that crash, for Scripts/checks/crashed_tests.py. They know nothing of CrashKit.
let package = Package(
  name: "crashed-tests",
  targets: [
    .testTarget(name: "SwiftTestingCrashes"),
    .testTarget(name: "XCTestCrashes"),
  ]
)
