// swift-tools-version: 6.2
import PackageDescription

// Each sample is a folder with a sample.toml, which says how it runs. Docs/contributing.md lists what a new one needs.

let crashKit: Target.Dependency = .product(name: "CrashKit", package: "swift-crashkit")
let threadGuard: Target.Dependency = .product(name: "ThreadGuard", package: "swift-crashkit")
let withEventLoops: [Target.Dependency] = [
  crashKit, .product(name: "CrashKitNIO", package: "swift-crashkit"), .product(name: "NIOCore", package: "swift-nio"),
  .product(name: "NIOPosix", package: "swift-nio"),
]

let package = Package(
  name: "crashkit-samples",
  products: [
    .executable(name: "worker-index", targets: ["worker-index"]),
    .executable(name: "async-task", targets: ["async-task"]),
    .executable(name: "cxx-exception", targets: ["cxx-exception"]),
    .executable(name: "lock-inversion", targets: ["lock-inversion"]),
    .executable(name: "deinit-sync", targets: ["deinit-sync"]),
    .executable(name: "lock-across-await", targets: ["lock-across-await"]),
    .executable(name: "main-queue-after-background", targets: ["main-queue-after-background"]),
    .executable(name: "mutex-deadlock", targets: ["mutex-deadlock"]),
    .executable(name: "store-callback", targets: ["store-callback"]),
    .executable(name: "nan-story", targets: ["nan-story"]),
    .executable(name: "starved-pool", targets: ["starved-pool"]),
    .executable(name: "actor-never-returns", targets: ["actor-never-returns"]),
    .executable(name: "stuck-continuation", targets: ["stuck-continuation"]),
    .executable(name: "try-far-from-throw", targets: ["try-far-from-throw"]),
    .executable(name: "use-after-free", targets: ["use-after-free"]),
    .executable(name: "blocked-event-loop", targets: ["blocked-event-loop"]),
  ],
  dependencies: [
    .package(name: "swift-crashkit", path: ".."),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
  ],
  targets: [
    .executableTarget(
      name: "worker-index", dependencies: [crashKit], path: "worker-index", exclude: ["expected.txt", "sample.toml"]),
    .executableTarget(
      name: "async-task", dependencies: [crashKit], path: "async-task", exclude: ["expected.txt", "sample.toml"]),
    .executableTarget(
      name: "cxx-exception", dependencies: [crashKit, "CxxConfiguration"], path: "cxx-exception",
      exclude: ["expected.txt", "sample.toml"]),
    // These do not link this package: crashsym runs them.
    .executableTarget(name: "lock-inversion", path: "lock-inversion", exclude: ["expected.txt", "sample.toml"]),
    .executableTarget(name: "deinit-sync", path: "deinit-sync", exclude: ["expected.txt", "sample.toml"]),
    .executableTarget(name: "lock-across-await", path: "lock-across-await", exclude: ["expected.txt", "sample.toml"]),
    .executableTarget(
      name: "main-queue-after-background", dependencies: [crashKit, threadGuard], path: "main-queue-after-background",
      exclude: ["expected.txt", "sample.toml"]),
    .executableTarget(
      name: "mutex-deadlock", dependencies: [crashKit], path: "mutex-deadlock",
      exclude: ["expected.txt", "sample.toml"]),
    .executableTarget(
      name: "store-callback", dependencies: [crashKit, threadGuard], path: "store-callback",
      exclude: ["expected.txt", "sample.toml"]),
    .executableTarget(
      name: "nan-story", dependencies: [crashKit, threadGuard], path: "nan-story",
      exclude: ["sample.toml"]),
    .executableTarget(
      name: "starved-pool", dependencies: [crashKit], path: "starved-pool", exclude: ["expected.txt", "sample.toml"]),
    .executableTarget(
      name: "actor-never-returns", dependencies: [crashKit], path: "actor-never-returns",
      exclude: ["expected.txt", "sample.toml"]),
    .executableTarget(
      name: "stuck-continuation", dependencies: [crashKit], path: "stuck-continuation",
      exclude: ["expected.txt", "sample.toml"]),
    .executableTarget(
      name: "try-far-from-throw", dependencies: [crashKit], path: "try-far-from-throw",
      exclude: ["expected.txt", "sample.toml"]),
    .executableTarget(
      name: "use-after-free", dependencies: [crashKit, .product(name: "CrashKitGuard", package: "swift-crashkit")],
      path: "use-after-free", exclude: ["expected.txt", "sample.toml"]),
    .executableTarget(
      name: "blocked-event-loop", dependencies: withEventLoops, path: "blocked-event-loop",
      exclude: ["expected.txt", "sample.toml"]),
    .target(name: "CxxConfiguration", path: "CxxConfiguration"),
  ],
  cxxLanguageStandard: .gnucxx17
)
