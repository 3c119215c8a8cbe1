// swift-tools-version: 6.2
import PackageDescription

let upload: [Target.Dependency] = [
  .product(name: "CrashKit", package: "swift-crashkit"),
  .product(name: "CrashKitUpload", package: "swift-crashkit"),
  .product(name: "Logging", package: "swift-log"),
  .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
]

// Apart from the other optional products: what this one needs takes minutes to build.
let package = Package(
  name: "upload-product",
  dependencies: [
    .package(name: "swift-crashkit", path: "../..", traits: ["CrashKitUpload"]),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    // For Scripts/checks/docc.py.
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.4.0"),
  ],
  targets: [
    // What Docs/sending.md shows, and what it takes for granted.
    .executableTarget(name: "upload-example", dependencies: upload, path: "Tests/UploadExample"),
    .executableTarget(name: "upload-probe", dependencies: upload, path: "Tests/UploadProbe"),
  ]
)
