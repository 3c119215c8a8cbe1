// swift-tools-version: 6.2
import PackageDescription

let crashKit: Target.Dependency = .product(name: "CrashKit", package: "swift-crashkit")

let package = Package(
  name: "crashkit-samples",
  products: [
    .executable(name: "worker-index", targets: ["worker-index"]),
    .executable(name: "async-task", targets: ["async-task"]),
    .executable(name: "cxx-exception", targets: ["cxx-exception"]),
  ],
  dependencies: [.package(name: "swift-crashkit", path: "..")],
  targets: [
    .executableTarget(
      name: "worker-index", dependencies: [crashKit], path: "worker-index", exclude: ["expected.txt"]),
    .executableTarget(
      name: "async-task", dependencies: [crashKit], path: "async-task", exclude: ["expected.txt"]),
    .executableTarget(
      name: "cxx-exception", dependencies: [crashKit, "CxxConfiguration"], path: "cxx-exception",
      exclude: ["expected.txt"]),
    .target(name: "CxxConfiguration", path: "CxxConfiguration"),
  ],
  cxxLanguageStandard: .gnucxx17
)
