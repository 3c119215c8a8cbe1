// swift-tools-version: 6.2
import PackageDescription

let cSettings: [CSetting] = [.define("_GNU_SOURCE"), .enableWarning("all"), .enableWarning("extra")]

let package = Package(
  name: "swift-crashkit",
  products: [
    .library(name: "CrashKit", targets: ["CrashKit"]),
    .library(name: "ThreadGuard", targets: ["ThreadGuard"]),
    .library(name: "CrashKitPreload", type: .dynamic, targets: ["CCrashKitPreload"]),
    .executable(name: "crashsym", targets: ["crashsym"]),
    .executable(name: "diagdemo", targets: ["diagdemo"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/onevcat/Rainbow", from: "4.2.2"),
  ],
  targets: [
    .systemLibrary(name: "CLibdw", pkgConfig: "libdw", providers: [.apt(["libdw-dev"])]),
    // Headers only: libunwind's generic library is opened at install, never linked.
    .systemLibrary(name: "CLibunwind", providers: [.apt(["libunwind-dev"])]),

    .target(name: "CProcessHooks", cSettings: cSettings),
    .target(name: "CCrashCapture", dependencies: ["CProcessHooks", "CLibunwind"], cSettings: cSettings),
    // Linked by swiftc, which would add libswiftCore; Embedded mode leaves libc and the loader only.
    .target(
      name: "CCrashKitPreload", dependencies: ["CCrashCapture", "CProcessHooks"], cSettings: cSettings,
      linkerSettings: [.unsafeFlags(["-enable-experimental-feature", "Embedded", "-wmo"])]),

    .target(name: "CrashKit", dependencies: ["CCrashCapture", "CProcessHooks"]),
    .target(name: "ThreadGuard"),
    .target(name: "CrashReportModel"),
    .target(name: "Symbolication", dependencies: ["CLibdw"]),
    .executableTarget(
      name: "crashsym",
      dependencies: [
        "CrashReportModel", "Symbolication", "Rainbow",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .target(name: "CDiagdemoCrashes", cSettings: cSettings),
    .executableTarget(
      name: "diagdemo",
      dependencies: [
        "CrashKit", "ThreadGuard", "CDiagdemoCrashes",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),

    .testTarget(name: "CrashKitTests", dependencies: ["CrashKit"]),
    .testTarget(name: "EndToEndTests", dependencies: ["crashsym", "diagdemo"], exclude: ["Programs"]),
  ],
  cLanguageStandard: .gnu17,
  cxxLanguageStandard: .gnucxx17
)
