// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "desk-benchmark",
  dependencies: [
    .package(name: "swift-crashkit", path: "../..", traits: ["Desk"]),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    .executableTarget(
      name: "desk-load",
      dependencies: [
        .product(name: "GRDB", package: "GRDB.swift"), .product(name: "crashsym", package: "swift-crashkit"),
      ])
  ]
)
