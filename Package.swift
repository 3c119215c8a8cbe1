// swift-tools-version: 6.2
import PackageDescription

let cWarnings: [CSetting] = [.enableWarning("all"), .enableWarning("extra")]

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
  ],
  targets: [
    .systemLibrary(name: "CLibdw", pkgConfig: "libdw", providers: [.apt(["libdw-dev"])]),
    // Headers only: libunwind's generic library is opened at install, never linked.
    .systemLibrary(name: "CLibunwind", providers: [.apt(["libunwind-dev"])]),

    .systemLibrary(name: "CLinuxCalls"),

    .target(name: "CProcessHooks", cSettings: cWarnings),
    .target(name: "CCrashCapture", dependencies: ["CProcessHooks", "CLibunwind"], cSettings: cWarnings),
    // Linked by swiftc, which would add libswiftCore; Embedded mode leaves libc and the loader only.
    .target(
      name: "CCrashKitPreload", dependencies: ["CCrashCapture", "CProcessHooks"], cSettings: cWarnings,
      linkerSettings: [.unsafeFlags(["-enable-experimental-feature", "Embedded", "-wmo"])]),

    .target(name: "CrashKit", dependencies: ["CCrashCapture", "CProcessHooks"]),
    .target(name: "ThreadGuard"),
    .target(name: "CrashReportModel"),
    .target(name: "CrashReportReading", dependencies: ["CrashReportModel"]),
    .target(name: "Symbolication", dependencies: ["CLibdw"]),
    .target(name: "ReportSymbolication", dependencies: ["CrashReportModel", "Symbolication"]),
    .target(name: "ProgramRunner", dependencies: ["CLinuxCalls"]),
    .target(name: "CrashReportView", dependencies: ["CrashReportModel"]),
    .executableTarget(
      name: "crashsym",
      dependencies: [
        "CrashReportModel", "CrashReportReading", "CrashReportView", "ProgramRunner", "ReportSymbolication",
        "Symbolication",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .executableTarget(
      name: "diagdemo",
      dependencies: [
        "CrashKit", "ThreadGuard",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),

    .testTarget(name: "CrashKitTests", dependencies: ["CrashKit"]),
    .testTarget(name: "CrashReportModelTests", dependencies: ["CrashReportModel"]),
    .testTarget(name: "CrashReportReadingTests", dependencies: ["CrashReportReading"], exclude: ["Fixtures"]),
    .testTarget(
      name: "CrashReportViewTests", dependencies: ["CrashReportView", "CrashReportReading"], exclude: ["Fixtures"]),
    .testTarget(name: "ReportSymbolicationTests", dependencies: ["ReportSymbolication"]),
    .testTarget(name: "crashsymTests", dependencies: ["crashsym"]),
  ],
  cLanguageStandard: .gnu17,
  cxxLanguageStandard: .gnucxx17
)
