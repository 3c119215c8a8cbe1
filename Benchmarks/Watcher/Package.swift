// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "watcher-benchmark",
  dependencies: [.package(name: "swift-crashkit", path: "../..", traits: ["WatcherJournal"])],
  targets: [
    .executableTarget(
      name: "watcher-benchmark",
      dependencies: [
        .product(name: "Watcher", package: "swift-crashkit"),
        .product(name: "WatcherJournal", package: "swift-crashkit"),
      ])
  ]
)
