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
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
  ],
  targets: [
    .systemLibrary(name: "CLibdw", pkgConfig: "libdw", providers: [.apt(["libdw-dev"])]),
    .systemLibrary(name: "CLzma", pkgConfig: "liblzma", providers: [.apt(["liblzma-dev"])]),
    .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
    // Headers only: libunwind's generic library is opened at install, never linked.
    .systemLibrary(name: "CLibunwind", providers: [.apt(["libunwind-dev"])]),
    .systemLibrary(name: "CLinuxCalls"),

    // Headers in internal/ are for the C targets of this package alone, so they stay out of the module.
    .target(name: "CProcessHooks", cSettings: cSettings + [.headerSearchPath("internal")]),
    .target(
      name: "CCrashCapture", dependencies: ["CProcessHooks", "CLibunwind"],
      cSettings: cSettings + [.headerSearchPath("../CProcessHooks/internal")]),
    // Linked by swiftc, which would add libswiftCore; Embedded mode leaves libc and the loader only.
    .target(
      name: "CCrashKitPreload", dependencies: ["CCrashCapture", "CProcessHooks"], cSettings: cSettings,
      linkerSettings: [
        .unsafeFlags(["-enable-experimental-feature", "Embedded", "-wmo", "-Xlinker", "-z", "-Xlinker", "now"])
      ]),

    .target(name: "PreviousRuns", dependencies: ["CCrashCapture", "CLinuxCalls", "CProcessHooks", "CrashReportModel"]),
    .target(
      name: "CrashKit",
      dependencies: ["CCrashCapture", "CLinuxCalls", "CProcessHooks", "CrashReportModel", "PreviousRuns"]),
    .target(name: "CThreadGuard", cSettings: cSettings),
    .target(
      name: "ThreadGuard", dependencies: ["CThreadGuard"],
      swiftSettings: [.define("DEBUG", .when(configuration: .debug))]),
    .target(name: "CrashReportModel"),
    .target(name: "CrashReportReading", dependencies: ["CrashReportModel"]),
    .target(name: "Symbolication", dependencies: ["CLibdw", "CLinuxCalls", "CLzma", "CZstd"]),
    .target(name: "SymbolStore", dependencies: ["CLinuxCalls", "Symbolication"]),
    .target(name: "ReportSymbolication", dependencies: ["CrashReportModel", "Symbolication"]),
    .target(name: "MachineChecks", dependencies: ["CLinuxCalls", "ProgramRunner", "Symbolication"]),
    .target(
      name: "CoreFiles", dependencies: ["CLibdw", "CZstd", "CrashReportModel", "CrashReportReading", "Symbolication"]),
    .target(name: "ProgramRunner", dependencies: ["CLinuxCalls"]),
    .target(name: "ReportGrouping", dependencies: ["CrashReportModel"]),
    .target(name: "CrashReportView", dependencies: ["CrashReportModel", "ReportGrouping"]),
    .executableTarget(
      name: "crashsym",
      dependencies: [
        "CLinuxCalls", "CoreFiles", "CrashReportModel", "CrashReportReading", "CrashReportView", "MachineChecks",
        "PreviousRuns", "ProgramRunner", "ReportGrouping", "ReportSymbolication", "SymbolStore", "Symbolication",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    // Compiled with guards on the stack, as distributions do, since breaking one is a way to die.
    .target(name: "CDiagdemoCrashes", cSettings: cSettings + [.unsafeFlags(["-fstack-protector-strong"])]),
    .executableTarget(
      name: "diagdemo",
      dependencies: [
        "CrashKit", "ThreadGuard", "CDiagdemoCrashes",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),

    .testTarget(
      name: "CrashKitTests",
      dependencies: [
        "CrashKit", "CrashReportModel", "CrashReportReading", "CrashReportView", "ReportSymbolication", "Symbolication",
        "ThreadGuard",
      ]),
    .testTarget(name: "ThreadGuardTests", dependencies: ["ThreadGuard"]),
    .testTarget(name: "MachineChecksTests", dependencies: ["MachineChecks", "Symbolication"]),
    .testTarget(name: "CrashReportModelTests", dependencies: ["CrashReportModel"]),
    .testTarget(name: "CrashReportReadingTests", dependencies: ["CrashReportReading"], exclude: ["Fixtures"]),
    .testTarget(
      name: "CrashReportViewTests", dependencies: ["CrashReportView", "CrashReportReading"], exclude: ["Fixtures"]),
    .testTarget(name: "ReportSymbolicationTests", dependencies: ["ReportSymbolication"]),
    .testTarget(name: "SymbolicationTests", dependencies: ["Symbolication"]),
    .testTarget(name: "crashsymTests", dependencies: ["CLinuxCalls", "crashsym"]),
    .testTarget(
      name: "EndToEndTests",
      dependencies: ["CrashKit", "PreviousRuns", "crashsym", "diagdemo", "previous-runs-probe"], exclude: ["Programs"]),
    .testTarget(name: "PreviousRunsTests", dependencies: ["CrashKit", "CrashReportModel", "PreviousRuns"]),

    // A program that tests run, since what they ask is what its death, fork or signal leaves behind.
    .executableTarget(
      name: "region-probe", dependencies: ["CCrashCapture", "CProcessHooks"], path: "Tests/RegionProbe",
      cSettings: cSettings + [
        .headerSearchPath("../../Sources/CCrashCapture"), .headerSearchPath("../../Sources/CProcessHooks/internal"),
      ]),
    .executableTarget(
      name: "previous-runs-probe", dependencies: ["CCrashCapture", "CrashKit", "PreviousRuns"],
      path: "Tests/PreviousRunsProbe"),
    .executableTarget(
      name: "writer-probe", dependencies: ["CCrashCapture", "CProcessHooks"], path: "Tests/WriterProbe",
      cSettings: cSettings + [.headerSearchPath("../../Sources/CCrashCapture")]),
    .executableTarget(
      name: "handler-probe", dependencies: ["CCrashCapture", "CProcessHooks"], path: "Tests/HandlerProbe",
      cSettings: cSettings + [
        .headerSearchPath("../../Sources/CCrashCapture"), .headerSearchPath("../../Sources/CProcessHooks/internal"),
      ]),
    .executableTarget(
      name: "live-probe", dependencies: ["CCrashCapture", "CProcessHooks"], path: "Tests/LiveProbe",
      cSettings: cSettings + [.headerSearchPath("../../Sources/CCrashCapture")]),
    .executableTarget(name: "hang-probe", dependencies: ["CrashKit"], path: "Tests/HangProbe"),
    .testTarget(name: "HandlerTests", dependencies: ["handler-probe"]),
    .testTarget(
      name: "CrashCaptureTests",
      dependencies: [
        "CrashKit", "PreviousRuns", "CCrashCapture", "CProcessHooks", "region-probe", "writer-probe", "live-probe",
        "hang-probe",
      ]),
  ],
  cLanguageStandard: .gnu17,
  cxxLanguageStandard: .gnucxx17
)
