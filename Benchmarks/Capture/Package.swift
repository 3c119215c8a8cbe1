// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "capture-benchmark",
  dependencies: [.package(name: "swift-crashkit", path: "../..")],
  targets: [
    .target(name: "CWaitingThreads"),
    .executableTarget(
      name: "bare-unwind", dependencies: ["CWaitingThreads"], linkerSettings: [.linkedLibrary("unwind")]),
    .executableTarget(name: "bare-install"),
    .executableTarget(
      name: "capture-victim",
      dependencies: ["CWaitingThreads", .product(name: "CrashKit", package: "swift-crashkit")]),
    .executableTarget(name: "capture-benchmark"),
  ],
  cLanguageStandard: .gnu17
)
