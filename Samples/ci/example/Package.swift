// swift-tools-version: 6.0
import PackageDescription

let package = Package(
  name: "accounts",
  targets: [
    .target(name: "Accounts"),
    .testTarget(name: "AccountsTests", dependencies: ["Accounts"]),
  ]
)
