// swift-tools-version: 6.2
import PackageDescription

let cSettings: [CSetting] = [.define("_GNU_SOURCE"), .enableWarning("all"), .enableWarning("extra")]

let package = Package(
  name: "swift-crashkit",
  products: [
    .library(name: "CrashKit", targets: ["CrashKit"]),
    .library(name: "ThreadGuard", targets: ["ThreadGuard"]),
    .library(name: "CrashKitPreload", type: .dynamic, targets: ["CCrashKitPreload"]),
    .library(name: "ThreadGuardPreload", type: .dynamic, targets: ["CThreadGuardPreload"]),
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
    .target(
      name: "CProcessHooks", dependencies: ["CReportParts"],
      cSettings: cSettings + [.headerSearchPath("internal"), .headerSearchPath("../CReportParts")]),
    // What every writer of reports needs: nothing in it is interposed.
    .target(
      name: "CReportParts",
      cSettings: cSettings + [.headerSearchPath("."), .headerSearchPath("../CProcessHooks/internal")]),
    .target(
      name: "CCrashCapture", dependencies: ["CProcessHooks", "CReportParts", "CLibunwind"],
      cSettings: cSettings + [.headerSearchPath("../CProcessHooks/internal"), .headerSearchPath("../CReportParts")]),
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
    // The interposed functions are in debug builds only; the preload library has them always.
    .target(
      name: "CThreadGuard", dependencies: ["CReportParts"],
      cSettings: cSettings + [
        .headerSearchPath("../CProcessHooks/include"), .headerSearchPath("../CProcessHooks/internal"),
        .headerSearchPath("../CReportParts"),
        .define("THREADGUARD", .when(configuration: .debug)),
      ]),
    .target(
      name: "CThreadGuardPreload", dependencies: ["CThreadGuard"],
      cSettings: cSettings + [
        .headerSearchPath("../CThreadGuard"), .headerSearchPath("../CProcessHooks/internal"),
        .define("THREADGUARD", .when(configuration: .debug)),
      ],
      linkerSettings: [
        .unsafeFlags(["-enable-experimental-feature", "Embedded", "-wmo", "-Xlinker", "-z", "-Xlinker", "now"])
      ]),
    .target(
      name: "ThreadGuard", dependencies: ["CThreadGuard"],
      swiftSettings: [.define("DEBUG", .when(configuration: .debug))]),
    .target(name: "CrashReportModel"),
    .target(name: "CrashReportReading", dependencies: ["CrashReportModel"]),
    .target(name: "Symbolication", dependencies: ["CLibdw", "CLzma", "CZstd"]),
    .target(name: "ReportSymbolication", dependencies: ["CrashReportModel", "Symbolication"]),
    .target(name: "ProgramRunner", dependencies: ["CLinuxCalls"]),
    .target(name: "CrashReportView", dependencies: ["CrashReportModel"]),
    .executableTarget(
      name: "crashsym",
      dependencies: [
        "CrashReportModel", "CrashReportReading", "CrashReportView", "PreviousRuns", "ProgramRunner",
        "ReportSymbolication", "Symbolication",
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
    .testTarget(
      name: "ThreadGuardTests",
      dependencies: [
        "ThreadGuard", "CrashReportModel", "CrashReportReading", "crashsym", "guarded-locks-probe", "guarded-probe",
        "lock-probe", "violation-probe",
      ]),
    .testTarget(name: "CrashReportModelTests", dependencies: ["CrashReportModel"]),
    .testTarget(name: "CrashReportReadingTests", dependencies: ["CrashReportReading"], exclude: ["Fixtures"]),
    .testTarget(
      name: "CrashReportViewTests", dependencies: ["CrashReportView", "CrashReportReading"], exclude: ["Fixtures"]),
    .testTarget(name: "ReportSymbolicationTests", dependencies: ["ReportSymbolication"]),
    .testTarget(name: "SymbolicationTests", dependencies: ["Symbolication"]),
    .testTarget(name: "crashsymTests", dependencies: ["crashsym"]),
    .testTarget(
      name: "EndToEndTests",
      dependencies: ["CrashKit", "PreviousRuns", "crashsym", "diagdemo", "previous-runs-probe"], exclude: ["Programs"]),
    .testTarget(name: "PreviousRunsTests", dependencies: ["CrashKit", "CrashReportModel", "PreviousRuns"]),

    .executableTarget(
      name: "guarded-locks-probe", dependencies: ["CrashKit", "ThreadGuard"], path: "Tests/GuardedLocksProbe"),
    .executableTarget(
      name: "lock-probe", dependencies: ["CThreadGuard"], path: "Tests/LockProbe",
      cSettings: cSettings + [
        .headerSearchPath("../../Sources/CThreadGuard"), .headerSearchPath("../../Sources/CProcessHooks/internal"),
      ]),
    // A program that tests run, since what they ask is what its death, fork or signal leaves behind.
    .executableTarget(
      name: "region-probe", dependencies: ["CCrashCapture", "CProcessHooks"], path: "Tests/RegionProbe",
      cSettings: cSettings + [
        .headerSearchPath("../../Sources/CCrashCapture"), .headerSearchPath("../../Sources/CProcessHooks/internal"),
        .headerSearchPath("../../Sources/CReportParts"),
      ]),
    .executableTarget(
      name: "previous-runs-probe", dependencies: ["CCrashCapture", "CrashKit", "PreviousRuns"],
      path: "Tests/PreviousRunsProbe"),
    .executableTarget(
      name: "writer-probe", dependencies: ["CCrashCapture", "CProcessHooks"], path: "Tests/WriterProbe",
      cSettings: cSettings + [
        .headerSearchPath("../../Sources/CCrashCapture"), .headerSearchPath("../../Sources/CReportParts"),
      ]),
    .executableTarget(
      name: "handler-probe", dependencies: ["CCrashCapture", "CProcessHooks"], path: "Tests/HandlerProbe",
      cSettings: cSettings + [
        .headerSearchPath("../../Sources/CCrashCapture"), .headerSearchPath("../../Sources/CProcessHooks/internal"),
        .headerSearchPath("../../Sources/CReportParts"),
      ]),
    .executableTarget(
      name: "live-probe", dependencies: ["CCrashCapture", "CProcessHooks"], path: "Tests/LiveProbe",
      cSettings: cSettings + [
        .headerSearchPath("../../Sources/CCrashCapture"), .headerSearchPath("../../Sources/CReportParts"),
      ]),
    .executableTarget(
      name: "violation-probe", dependencies: ["CThreadGuard"], path: "Tests/ViolationProbe", cSettings: cSettings),
    .executableTarget(
      name: "guarded-probe", dependencies: ["CrashKit", "ThreadGuard"], path: "Tests/GuardedProbe"),
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
