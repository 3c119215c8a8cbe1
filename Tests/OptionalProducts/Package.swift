// swift-tools-version: 6.2
import PackageDescription

// Products whose traits are off by default: the package's own tests cannot have what these need.
let package = Package(
  name: "optional-products",
  dependencies: [
    .package(name: "swift-crashkit", path: "../..", traits: ["CrashKitTracing"]),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
  ],
  targets: [
    .testTarget(
      name: "TracingTests",
      dependencies: [
        .product(name: "CrashKit", package: "swift-crashkit"),
        .product(name: "CrashKitTracing", package: "swift-crashkit"),
        .product(name: "Instrumentation", package: "swift-distributed-tracing"),
      ])
  ]
)
