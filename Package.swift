// swift-tools-version: 6.2
import PackageDescription

let cSettings: [CSetting] = [.define("_GNU_SOURCE"), .enableWarning("all"), .enableWarning("extra")]

// Where ThreadGuard's checks work: elsewhere they compile to nothing.
let checksInC: [CSetting] = [
  .define("THREADGUARD", .when(configuration: .debug)),
  .define("THREADGUARD", .when(traits: ["ThreadGuardInRelease"])),
]
let checksInSwift: [SwiftSetting] = [
  .define("THREADGUARD", .when(configuration: .debug)),
  .define("THREADGUARD", .when(traits: ["ThreadGuardInRelease"])),
]

// Linked by swiftc, which would add libswiftCore; Embedded mode leaves libc and the loader only. glibc 2.31 has a part of
// what these libraries import in libdl and libpthread, which are empty since glibc 2.34. A library whose handlers are set
// stays, though the program closes it.
let preloadLinking: [LinkerSetting] = [
  .unsafeFlags([
    "-enable-experimental-feature", "Embedded", "-wmo", "-Xlinker", "-z", "-Xlinker", "now", "-Xlinker",
    "-z", "-Xlinker", "nodelete", "-Xlinker", "--no-as-needed",
    "-Xlinker", "-l:libdl.so.2", "-Xlinker", "-l:libpthread.so.0",
  ])
]

// CrashKit, ThreadGuard and Watcher work on Linux with glibc. On other systems they compile and do nothing; the variable
// pretends that this is one of them, for Scripts/checks/elsewhere.py.
#if os(Linux)
  let isSupported = Context.environment["CRASHKIT_PRETEND_UNSUPPORTED"] == nil
#else
  let isSupported = false
#endif
let crashKit: Target =
  isSupported
  ? .target(
    name: "CrashKit",
    dependencies: [
      "CCrashCapture", "CProcessHooks", "CReportTerms", "CrashReportModel", "LinuxCalls", "PreviousRuns",
    ], exclude: ["Elsewhere"])
  : .target(
    name: "CrashKit",
    sources: [
      "CaptureError.swift", "Configuration.swift", "Elsewhere", "Level.swift", "LiveTask.swift", "LiveTaskList.swift",
      "MetricState.swift", "Retention.swift", "StoredReport.swift", "Trace.swift",
    ])
let threadGuard: Target =
  isSupported
  ? .target(name: "ThreadGuard", dependencies: ["CThreadGuard"], exclude: ["Elsewhere"], swiftSettings: checksInSwift)
  : .target(
    name: "ThreadGuard",
    exclude: ["Rule.swift", "ViolationBridge.swift", "ViolationModes.swift", "Violations.swift"])

let watcher: Target =
  isSupported
  ? .target(
    name: "Watcher",
    dependencies: [
      "CrashKit", .product(name: "Histogram", package: "hdrhistogram-swift", condition: .when(traits: ["Watcher"])),
      .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Watcher"])),
    ], exclude: ["Elsewhere"])
  : .target(
    name: "Watcher",
    sources: [
      "Configuration.swift", "Elsewhere", "Events/MetricThresholdEvent.swift", "Managers/LifecycleNotification.swift",
      "Managers/MetricManagerUseCase.swift", "Managers/Threshold.swift", "Providers/AdaptedProvider.swift",
      "Providers/Endpoint.swift", "Providers/Metrics.swift", "Providers/NoisyProvider.swift",
      "Providers/ResponseTime.swift", "Readings", "Statistics/Statistics.swift", "Watcher.swift",
    ])

// The plugin that makes the documentation, for Scripts/checks/docc.py. No user fetches it.
let documentation: [Package.Dependency] =
  Context.environment["CRASHKIT_DOCUMENTATION"] == nil
  ? [] : [.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.4.0")]

let package = Package(
  name: "swift-crashkit",
  platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
  products: [
    .library(name: "CrashKit", targets: ["CrashKit"]),
    .library(name: "CrashKitNIO", targets: ["CrashKitNIO"]),
    .library(name: "CrashKitHummingbird", targets: ["CrashKitHummingbird"]),
    .library(name: "CrashKitLogging", targets: ["CrashKitLogging"]),
    .library(name: "CrashKitService", targets: ["CrashKitService"]),
    .library(name: "CrashKitTesting", targets: ["CrashKitTesting"]),
    .library(name: "CrashKitTracing", targets: ["CrashKitTracing"]),
    .library(name: "CrashKitUpload", targets: ["CrashKitUpload"]),
    .library(name: "Desk", targets: ["DeskServer", "DeskStore"]),
    .library(name: "ThreadGuard", targets: ["ThreadGuard"]),
    .library(name: "ThreadGuardSynchronization", targets: ["ThreadGuardSynchronization"]),
    .library(name: "ThreadGuardTesting", targets: ["ThreadGuardTesting"]),
    .library(name: "CrashKitGuard", targets: ["CMemoryGuard"]),
    .library(name: "CrashKitGuardPreload", type: .dynamic, targets: ["CMemoryGuardPreload"]),
    .library(name: "CrashKitPreload", type: .dynamic, targets: ["CCrashKitPreload"]),
    .library(name: "Watcher", targets: ["Watcher"]),
    .library(name: "WatcherDesk", targets: ["WatcherDesk"]),
    .library(name: "WatcherJournal", targets: ["WatcherJournal"]),
    .library(name: "WatcherMetrics", targets: ["WatcherMetrics"]),
    .library(name: "WatcherCombine", targets: ["WatcherCombine"]),
    .library(name: "ThreadGuardPreload", type: .dynamic, targets: ["CThreadGuardPreload"]),
    .executable(name: "crashsym", targets: ["crashsym"]),
    .executable(name: "diagdemo", targets: ["diagdemo"]),
  ],
  // SwiftPM fetches whatever a package names, whether or not a used product needs it, but for what hangs on a trait that
  // is off. The default ones are on unless a user says `traits: []`, or names some.
  traits: [
    .default(enabledTraits: [
      "CrashKitNIO", "Watcher", "WatcherJournal", "WatcherMetrics", "WatcherCombine", "Commands",
    ]),
    .trait(name: "CrashKitNIO", description: "What CrashKitNIO needs is fetched: swift-nio."),
    .trait(
      name: "CrashKitHummingbird",
      description: "What CrashKitHummingbird needs is fetched: hummingbird, and CrashKitTracing's.",
      enabledTraits: ["CrashKitTracing"]),
    .trait(
      name: "CrashKitLogging", description: "What CrashKitLogging needs is fetched: swift-log, and CrashKitTracing's.",
      enabledTraits: ["CrashKitTracing"]),
    .trait(
      name: "CrashKitService",
      description: "What CrashKitService needs is fetched: swift-service-lifecycle and swift-metrics."),
    .trait(
      name: "CrashKitTesting",
      description: "CrashKitTesting is compiled, which needs Testing and XCTest. Nothing is fetched."),
    .trait(
      name: "CrashKitTracing", description: "What CrashKitTracing needs is fetched: swift-distributed-tracing."),
    .trait(
      name: "CrashKitUpload",
      description: "What CrashKitUpload needs is fetched: async-http-client and swift-service-lifecycle."),
    .trait(
      name: "Desk",
      description: "What crashsym desk needs is fetched: GRDB, hummingbird, swift-crypto and swift-mustache.",
      enabledTraits: ["Commands"]),
    .trait(name: "Watcher", description: "What Watcher needs is fetched: hdrhistogram-swift and swift-log."),
    .trait(
      name: "WatcherJournal", description: "What WatcherJournal needs is fetched: GRDB.", enabledTraits: ["Watcher"]),
    .trait(
      name: "WatcherMetrics", description: "What WatcherMetrics needs is fetched: swift-metrics.",
      enabledTraits: ["Watcher"]),
    .trait(
      name: "WatcherCombine", description: "What WatcherCombine needs is fetched: OpenCombine.",
      enabledTraits: ["Watcher"]),
    .trait(
      name: "Commands",
      description: "What the commands need is fetched: swift-argument-parser, CrashKitNIO's, and WatcherJournal's.",
      enabledTraits: ["CrashKitNIO", "WatcherJournal"]),
    .trait(
      name: "ThreadGuardInRelease",
      description: "ThreadGuard's checks work in optimised builds too, as for a staging environment."),
  ],
  // The lowest versions with what is used of them, so that other packages can be combined with this one. What was tried
  // of them: Docs/packages.md.
  dependencies: [
    // CommandConfiguration is Sendable.
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.3.1"),
    // LogEvent has the error.
    .package(url: "https://github.com/apple/swift-log", from: "1.12.0"),
    // Metrics can be made by a given factory.
    .package(url: "https://github.com/apple/swift-metrics", from: "2.7.0"),
    // 7.8.0 and older call functions of SQLite that Debian's has not.
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    // 0.5.0 brings a package for benchmarks along.
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.8.0"),
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.1.0"),
    // NIOFileHandle takes a descriptor over by a name of its own.
    .package(url: "https://github.com/apple/swift-nio", from: "2.78.0"),
    // Older versions of these were not tried.
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
  ] + documentation,
  targets: [
    .systemLibrary(name: "CLibdw", path: "Sources/Ground/CLibdw", pkgConfig: "libdw", providers: [.apt(["libdw-dev"])]),
    .systemLibrary(
      name: "CLzma", path: "Sources/Ground/CLzma", pkgConfig: "liblzma", providers: [.apt(["liblzma-dev"])]),
    .systemLibrary(
      name: "CZstd", path: "Sources/Ground/CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
    // For the desk alone.
    .systemLibrary(name: "CZlib", path: "Sources/Ground/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    // Headers only: libunwind's generic library is opened at install, never linked.
    .systemLibrary(name: "CLibunwind", path: "Sources/Ground/CLibunwind", providers: [.apt(["libunwind-dev"])]),
    .systemLibrary(name: "CLinuxCalls", path: "Sources/Ground/CLinuxCalls"),
    // No headers and nothing linked: libcurl is opened when something is sent.
    .systemLibrary(name: "CCurl", path: "Sources/Ground/CCurl"),
    // What a command was started with, byte for byte.
    .target(name: "CProgramStart", path: "Sources/Ground/CProgramStart", cSettings: cSettings),
    // System calls as Swift wants them. Paths, arguments and variables keep bytes that are not UTF-8.
    .target(name: "LinuxCalls", dependencies: ["CLinuxCalls"], path: "Sources/Ground/LinuxCalls"),

    // The bottom: system calls, clocks, memory, text. It may be called in a signal handler, and interposes nothing.
    .target(name: "CGround", path: "Sources/Ground/CGround", cSettings: cSettings),
    // What CrashKit and ThreadGuard know of each other: names to look up, and layouts.
    .target(name: "CRendezvous", path: "Sources/Ground/CRendezvous", cSettings: cSettings),
    // The preload libraries load with a glibc that is older than the one they were built with.
    .target(name: "COldGlibc", dependencies: ["CGround"], path: "Sources/Ground/COldGlibc", cSettings: cSettings),
    .target(
      name: "CProcessHooks", dependencies: ["CGround", "CRendezvous"], path: "Sources/Capture/CProcessHooks",
      exclude: ["interposed_by_crashkit.def"], cSettings: cSettings),
    // What counts as a credential: the crash handler and crashsym ask the same functions.
    .target(name: "CSecrets", dependencies: ["CGround"], path: "Sources/Ground/CSecrets", cSettings: cSettings),
    // What every writer of reports needs.
    .target(
      name: "CReportParts", dependencies: ["CGround", "CSecrets"], path: "Sources/Ground/CReportParts",
      exclude: ["include/CReportParts/section_table.def"], cSettings: cSettings),
    .target(
      name: "CCrashCapture",
      dependencies: [
        "CGround", "CLibunwind", "CProcessHooks", "CRendezvous", "CReportParts", "CReportTerms", "CSecrets",
      ], path: "Sources/Capture/CCrashCapture",
      exclude: ["wings.txt"], cSettings: cSettings + [.headerSearchPath(".")]),
    // The words that writers and readers of reports share: tables only.
    .target(
      name: "CReportTerms", dependencies: ["CGround"], path: "Sources/Ground/CReportTerms",
      exclude: ["causes.def", "own_code.def", "signals.def"],
      cSettings: cSettings),
    .target(
      name: "CCrashKitPreload", dependencies: ["CCrashCapture", "COldGlibc", "CReportParts"],
      path: "Sources/Capture/CCrashKitPreload",
      cSettings: cSettings,
      linkerSettings: preloadLinking),

    // Not a part of CrashKit: a program that does not link it keeps its allocator.
    .target(
      name: "CMemoryGuard", dependencies: ["CGround", "CRendezvous"], path: "Sources/Capture/CMemoryGuard",
      cSettings: cSettings + [
        // What every allocation goes through is as fast in a debug build as in others.
        .unsafeFlags(["-O2"], .when(configuration: .debug)), .headerSearchPath("."),
      ]),
    .target(
      name: "CMemoryGuardPreload", dependencies: ["CMemoryGuard", "COldGlibc"],
      path: "Sources/Capture/CMemoryGuardPreload", cSettings: cSettings,
      linkerSettings: preloadLinking),

    .target(
      name: "PreviousRuns",
      dependencies: ["CCrashCapture", "CLinuxCalls", "CProcessHooks", "CrashReportModel", "LinuxCalls"],
      path: "Sources/Reports/PreviousRuns"),
    crashKit,
    .target(
      name: "CrashKitNIO",
      dependencies: [
        "CLinuxCalls", "CrashKit", "LinuxCalls",
        .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["CrashKitNIO"])),
        .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["CrashKitNIO"])),
      ]),
    .target(
      name: "CrashKitHummingbird",
      dependencies: [
        "CrashKit", "CrashKitTracing",
        .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["CrashKitHummingbird"])),
      ]),
    .target(
      name: "CrashKitLogging",
      dependencies: [
        "CrashKit", "CrashKitTracing",
        .product(name: "Logging", package: "swift-log", condition: .when(traits: ["CrashKitLogging"])),
      ]),
    .target(
      name: "CrashKitService",
      dependencies: [
        "CrashKit", "CrashReportModel", "PreviousRuns",
        .product(name: "CoreMetrics", package: "swift-metrics", condition: .when(traits: ["CrashKitService"])),
        .product(
          name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: .when(traits: ["CrashKitService"])),
      ]),
    .target(name: "CrashKitTesting", dependencies: ["CrashKit"]),
    .target(
      name: "CrashKitTracing",
      dependencies: [
        "CrashKit",
        .product(
          name: "Instrumentation", package: "swift-distributed-tracing", condition: .when(traits: ["CrashKitTracing"])),
      ]),
    .target(
      name: "CrashKitUpload",
      dependencies: [
        "CReportParts", "CrashKit", "CrashReportModel", "LinuxCalls", "ReportSending",
        .product(
          name: "AsyncHTTPClient", package: "async-http-client", condition: .when(traits: ["CrashKitUpload"])),
        .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["CrashKitUpload"])),
        .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["CrashKitUpload"])),
        .product(
          name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: .when(traits: ["CrashKitUpload"])),
      ]),
    // The interposed functions are in debug builds only; the preload library has them always.
    .target(
      name: "CThreadGuard", dependencies: ["CGround", "CRendezvous", "CReportParts"],
      path: "Sources/Locks/CThreadGuard",
      exclude: ["findings/tolerated_uses.def", "interposed_by_threadguard.def", "rules.def", "wings.txt"],
      cSettings: cSettings + checksInC + [
        // What every lock goes through is as fast in a debug build as in others.
        .unsafeFlags(["-O2"], .when(configuration: .debug)),
        .headerSearchPath("."),
      ]),
    .target(
      name: "CThreadGuardPreload", dependencies: ["CGround", "COldGlibc", "CReportParts", "CThreadGuard"],
      path: "Sources/Locks/CThreadGuardPreload",
      cSettings: cSettings + checksInC + [
        .headerSearchPath("../CThreadGuard")
      ],
      linkerSettings: preloadLinking),
    threadGuard,
    .target(name: "ThreadGuardSynchronization", dependencies: ["CThreadGuard"], swiftSettings: checksInSwift),
    .target(
      name: "ThreadGuardTesting", dependencies: ["CThreadGuard", "ThreadGuard"],
      path: "Sources/Locks/ThreadGuardTesting", swiftSettings: checksInSwift),
    watcher,
    // Pushes to a desk, of which it knows the format alone.
    .target(
      name: "WatcherDesk", dependencies: ["CrashReportModel", "CurlTransport", "ReportSending", "Watcher"],
      path: "Sources/Metrics/WatcherDesk"),
    .target(
      name: "WatcherJournal",
      dependencies: [
        "Watcher", .product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["WatcherJournal"])),
        .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Watcher"])),
      ], path: "Sources/Metrics/WatcherJournal"),
    .target(
      name: "WatcherMetrics",
      dependencies: [
        "Watcher",
        .product(name: "CoreMetrics", package: "swift-metrics", condition: .when(traits: ["WatcherMetrics"])),
      ], path: "Sources/Metrics/WatcherMetrics"),
    .target(
      name: "WatcherCombine",
      dependencies: [
        "Watcher", .product(name: "OpenCombine", package: "OpenCombine", condition: .when(traits: ["WatcherCombine"])),
      ], path: "Sources/Metrics/WatcherCombine"),
    .target(
      name: "CrashReportModel", dependencies: ["CReportTerms", "CSecrets"], path: "Sources/Reports/CrashReportModel"),
    .target(
      name: "CrashReportReading", dependencies: ["CrashReportModel", "LinuxCalls"],
      path: "Sources/Reports/CrashReportReading"),
    .target(
      name: "Symbolication", dependencies: ["CLibdw", "CLinuxCalls", "CLzma", "CReportTerms", "CZstd", "LinuxCalls"],
      path: "Sources/Symbols/Symbolication",
      // A debug build of crashsym, which most people try first, would take five times as long for addresses. With more
      // than one thread the compiler makes an object file of each source file, as SwiftPM wants in debug builds.
      swiftSettings: [
        .unsafeFlags(["-O", "-wmo", "-num-threads", "2", "-disable-batch-mode"], .when(configuration: .debug))
      ]),
    .target(
      name: "SymbolStore", dependencies: ["CLinuxCalls", "LinuxCalls", "Symbolication"],
      path: "Sources/Symbols/SymbolStore"),
    // The store over HTTP. SwiftNIO is fetched for the commands anyway.
    .target(
      name: "SymbolServing",
      dependencies: [
        "SymbolStore",
        .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Commands"])),
        .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["Commands"])),
        .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Commands"])),
      ], path: "Sources/Symbols/SymbolServing"),
    .target(
      name: "ReportSymbolication", dependencies: ["CrashReportModel", "LinuxCalls", "Symbolication"],
      path: "Sources/Reports/ReportSymbolication"),
    .target(
      name: "MachineChecks", dependencies: ["CLinuxCalls", "LinuxCalls", "ProgramRunner", "Symbolication"],
      path: "Sources/Machine/MachineChecks"),
    .target(
      name: "CaptureRequests", dependencies: ["CLinuxCalls", "CReportTerms", "CrashReportReading", "LinuxCalls"],
      path: "Sources/Machine/CaptureRequests"),
    .target(
      name: "StoppedProcesses",
      dependencies: ["CLinuxCalls", "CaptureRequests", "CoreFiles", "LinuxCalls", "Symbolication"],
      path: "Sources/Machine/StoppedProcesses"),
    .target(
      name: "CoreFiles",
      dependencies: [
        "CGround", "CLibdw", "CLzma", "CReportTerms", "CSecrets", "CZstd", "CrashReportModel", "CrashReportReading",
        "LinuxCalls", "Symbolication",
      ],
      path: "Sources/Reports/CoreFiles"),
    .target(
      name: "ProgramRunner",
      dependencies: ["CGround", "CLinuxCalls", "CReportTerms", "CrashReportModel", "LinuxCalls"],
      path: "Sources/Machine/ProgramRunner"),
    .target(name: "ReportGrouping", dependencies: ["CrashReportModel"], path: "Sources/Reports/ReportGrouping"),
    .target(
      name: "CrashReportView", dependencies: ["CLinuxCalls", "CrashReportModel", "LinuxCalls", "ReportGrouping"],
      path: "Sources/Reports/CrashReportView"),
    // Every kind of input, and the reading of many.
    .target(
      name: "ReportInputs",
      dependencies: [
        "CoreFiles", "CrashReportModel", "CrashReportReading", "LinuxCalls", "ReportGrouping", "ReportSymbolication",
        "Symbolication",
      ], path: "Sources/Reports/ReportInputs"),
    // The crashes in systemd's journal, read by its own reader.
    .target(
      name: "SystemJournal", dependencies: ["CLinuxCalls", "CrashReportModel", "CrashReportReading", "LinuxCalls"],
      path: "Sources/Reports/SystemJournal"),
    // Where reports go from here, and when. It knows no network and no symbols.
    .target(
      name: "ReportSending",
      dependencies: [
        "CLinuxCalls", "CReportParts", "CrashReportModel", "CrashReportReading", "CrashReportView", "LinuxCalls",
      ],
      path: "Sources/Sending/ReportSending"),
    .target(name: "CurlTransport", dependencies: ["CCurl", "ReportSending"], path: "Sources/Sending/CurlTransport"),
    .target(
      name: "SymbolUploading",
      dependencies: ["CrashReportModel", "CrashReportReading", "ReportSending", "SymbolStore"],
      path: "Sources/Sending/SymbolUploading"),
    // Where the desk keeps its reports. It is empty unless the trait is on.
    .target(
      name: "DeskStore",
      dependencies: [
        "CrashReportModel", "CrashReportReading", "LinuxCalls",
        .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Desk"])),
        .product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["Desk"])),
      ], path: "Sources/Desk/DeskStore"),
    // The desk's intake and pages. It is empty unless the trait is on.
    .target(
      name: "DeskServer",
      dependencies: [
        .target(name: "CZlib", condition: .when(traits: ["Desk"])),
        "CrashReportModel", "CrashReportReading", "CrashReportView", "CurlTransport", "DeskStore", "LinuxCalls",
        "ReportGrouping", "ReportSending", "ReportSymbolication",
        .target(name: "SymbolServing", condition: .when(traits: ["Desk"])), "SymbolStore", "Symbolication",
        .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Desk"])),
        .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Desk"])),
        .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Desk"])),
        .product(name: "Mustache", package: "swift-mustache", condition: .when(traits: ["Desk"])),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: .when(traits: ["Desk"])),
      ], path: "Sources/Desk/DeskServer"),
    // The addresses of `crashsym lookup`: questions, answers, their two spellings.
    .target(
      name: "AddressLookup", dependencies: ["CrashReportModel", "CrashReportReading", "LinuxCalls", "Symbolication"],
      path: "Sources/Reports/AddressLookup"),
    // How both commands start, read `--format` and print what is wrong with their arguments.
    .target(
      name: "CommandEntry",
      dependencies: [
        "CGround", "CProgramStart", "CrashReportModel", "CrashReportView", "LinuxCalls",
        .product(
          name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Commands"])),
      ], path: "Sources/Commands/CommandEntry"),
    .executableTarget(
      name: "crashsym",
      dependencies: [
        "AddressLookup", "CGround", "CLinuxCalls", "CReportParts", "CaptureRequests", "CommandEntry", "CoreFiles",
        "CrashReportModel",
        "CrashReportReading", "CrashReportView", "CurlTransport", "DeskServer", "DeskStore", "LinuxCalls",
        "MachineChecks", "PreviousRuns", "ProgramRunner", "ReportGrouping", "ReportInputs", "ReportSending",
        "ReportSymbolication", "StoppedProcesses", "SymbolServing", "SymbolStore", "SymbolUploading",
        "Symbolication",
        "SystemJournal",
        .product(
          name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Commands"])),
      ]),
    // Compiled with guards on the stack, as distributions do, since breaking one is a way to die.
    .target(
      name: "CDiagdemoCrashes", path: "Sources/Demo/CDiagdemoCrashes",
      cSettings: cSettings + [.unsafeFlags(["-fstack-protector-strong"])]),
    .target(
      name: "Workloads",
      dependencies: [
        "CLinuxCalls", "CrashKit", "CrashKitNIO", "ThreadGuard", "Watcher",
        .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Commands"])),
        .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Commands"])),
        .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["Commands"])),
      ], path: "Sources/Demo/Workloads", swiftSettings: checksInSwift),
    .target(
      name: "StressRunner",
      dependencies: [
        "CLinuxCalls", "CrashKit", "CrashReportModel", "CrashReportReading", "CrashReportView", "LinuxCalls",
        "ProgramRunner",
        "ReportSymbolication", "Symbolication", "ThreadGuard", "Workloads",
      ], path: "Sources/Demo/StressRunner",
      swiftSettings: checksInSwift),
    .target(name: "WatchView", dependencies: ["CrashReportModel", "Watcher"], path: "Sources/Demo/WatchView"),
    .target(name: "CTerminal", dependencies: ["CGround"], path: "Sources/Demo/CTerminal", cSettings: cSettings),
    .executableTarget(
      name: "diagdemo",
      dependencies: [
        "CrashKit", "CrashReportModel", "ThreadGuard", "CDiagdemoCrashes", "CLinuxCalls", "CReportParts", "CTerminal",
        "CommandEntry", "CrashReportView", "LinuxCalls", "StressRunner", "WatchView",
        "Watcher", "WatcherDesk", "WatcherJournal", "Workloads",
        .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Watcher"])),
        .product(
          name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Commands"])),
      ]),

    .testTarget(
      name: "CrashKitTests",
      dependencies: [
        "CrashKit", "CrashReportModel", "CrashReportReading", "CrashReportView", "ReportSymbolication", "Symbolication",
        "ThreadGuard",
      ]),
    .testTarget(
      name: "WatcherTests",
      dependencies: [
        "Watcher", "WatcherCombine", "WatcherJournal", "WatcherMetrics",
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "MetricsTestKit", package: "swift-metrics"),
      ]),
    .testTarget(name: "WorkloadsTests", dependencies: ["Watcher", "Workloads"]),
    .testTarget(name: "WatchViewTests", dependencies: ["WatchView"]),
    .testTarget(name: "MachineChecksTests", dependencies: ["MachineChecks", "Symbolication"]),
    .testTarget(
      name: "ThreadGuardTests",
      dependencies: [
        "ThreadGuard", "ThreadGuardTesting", "CrashReportModel", "CrashReportReading", "crashsym", "guard-probe",
        "TestEnvironment", "guard-async-probe", "guarded-locks-probe", "guarded-probe", "lock-probe", "violation-probe",
        "observed-mutex-probe",
      ],
      exclude: ["ReleaseProgram"], swiftSettings: checksInSwift),
    .testTarget(name: "CrashReportModelTests", dependencies: ["CReportTerms", "CrashReportModel", "TestEnvironment"]),
    .testTarget(
      name: "CrashReportReadingTests", dependencies: ["CrashReportReading", "TestEnvironment"], exclude: ["Fixtures"]),
    .testTarget(
      name: "CrashReportViewTests",
      dependencies: ["CrashReportModel", "CrashReportReading", "CrashReportView", "ReportGrouping", "TestEnvironment"],
      exclude: ["Fixtures"]),
    .testTarget(
      name: "ReportInputsTests",
      dependencies: [
        "CrashReportModel", "CrashReportReading", "ReportGrouping", "ReportInputs", "ReportSymbolication",
        "Symbolication",
      ]),
    .testTarget(
      name: "ReportSendingTests",
      dependencies: ["CrashReportModel", "CrashReportReading", "LinuxCalls", "ReportSending"]),
    .testTarget(name: "SystemJournalTests", dependencies: ["CrashReportModel", "SystemJournal"]),
    .testTarget(
      name: "AddressLookupTests", dependencies: ["AddressLookup", "CrashReportReading", "Symbolication"]),
    .testTarget(
      name: "ReportSymbolicationTests", dependencies: ["ReportSymbolication", "TestEnvironment"], exclude: ["Corpus"]),
    .testTarget(name: "StoppedProcessesTests", dependencies: ["CoreFiles", "StoppedProcesses"]),
    .testTarget(name: "SymbolicationTests", dependencies: ["Symbolication"]),
    .testTarget(
      name: "crashsymTests",
      dependencies: [
        "CLinuxCalls", "LinuxCalls", "ProgramRunner", "SymbolStore", "TestEnvironment", "crashsym",
      ]),
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "CLinuxCalls", "CrashKit", "CrashReportModel", "PreviousRuns", "TestEnvironment", "crashsym", "diagdemo",
        "previous-runs-probe", "tasks-probe",
      ],
      exclude: ["Programs"]),
    .testTarget(name: "MatrixTests", dependencies: ["TestEnvironment", "crashsym", "diagdemo"]),
    .testTarget(
      name: "StressRunnerTests", dependencies: ["CrashReportModel", "StressRunner", "Workloads", "diagdemo"]),
    .testTarget(
      name: "PreviousRunsTests", dependencies: ["CrashKit", "CrashReportModel", "LinuxCalls", "PreviousRuns"]),

    .executableTarget(
      name: "guarded-locks-probe", dependencies: ["CrashKit", "ThreadGuard"], path: "Tests/GuardedLocksProbe"),
    .executableTarget(
      name: "observed-mutex-probe", dependencies: ["ThreadGuardSynchronization"], path: "Tests/ObservedMutexProbe"),
    .executableTarget(
      name: "lock-probe", dependencies: ["CGround", "CReportParts", "CThreadGuard"], path: "Tests/LockProbe",
      cSettings: cSettings + checksInC + [
        .headerSearchPath("../../Sources/Locks/CThreadGuard")
      ]),
    // A program that tests run, since what they ask is what its death, fork or signal leaves behind.
    .executableTarget(
      name: "region-probe", dependencies: ["CCrashCapture", "CGround", "CProcessHooks", "CReportParts"],
      path: "Tests/RegionProbe",
      cSettings: cSettings + [.headerSearchPath("../../Sources/Capture/CCrashCapture")]),
    .executableTarget(
      name: "previous-runs-probe", dependencies: ["CCrashCapture", "CrashKit", "PreviousRuns"],
      path: "Tests/PreviousRunsProbe"),
    .executableTarget(
      name: "writer-probe", dependencies: ["CCrashCapture", "CGround", "CReportParts"], path: "Tests/WriterProbe",
      cSettings: cSettings + [.headerSearchPath("../../Sources/Capture/CCrashCapture")]),
    .executableTarget(
      name: "handler-probe",
      dependencies: ["CCrashCapture", "CGround", "CProcessHooks", "CRendezvous", "CReportParts"],
      path: "Tests/HandlerProbe",
      cSettings: cSettings + [.headerSearchPath("../../Sources/Capture/CCrashCapture")]),
    .executableTarget(
      name: "live-probe", dependencies: ["CCrashCapture", "CGround", "CReportParts"], path: "Tests/LiveProbe",
      cSettings: cSettings + [.headerSearchPath("../../Sources/Capture/CCrashCapture")]),
    .executableTarget(
      name: "violation-probe", dependencies: ["CThreadGuard"], path: "Tests/ViolationProbe",
      cSettings: cSettings + [.headerSearchPath("../../Sources/Locks/CThreadGuard")]),
    .executableTarget(
      name: "guarded-probe", dependencies: ["CrashKit", "ThreadGuard"], path: "Tests/GuardedProbe"),
    .executableTarget(name: "hang-probe", dependencies: ["CrashKit"], path: "Tests/HangProbe"),
    .executableTarget(name: "hang-async-probe", dependencies: ["CrashKit"], path: "Tests/HangAsyncProbe"),
    .executableTarget(
      name: "event-loop-probe",
      dependencies: [
        "CrashKit", "CrashKitNIO",
        .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["CrashKitNIO"])),
        .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["CrashKitNIO"])),
      ], path: "Tests/EventLoopProbe"),
    // No test depends on it: the tests' own program would have its allocator.
    .executableTarget(
      name: "memory-guard-probe", dependencies: ["CMemoryGuard", "CrashKit"], path: "Tests/MemoryGuardProbe"),
    .executableTarget(name: "tasks-probe", dependencies: ["CrashKit"], path: "Tests/TasksProbe"),
    // The same scenarios under each kind of main, without CrashKit and with it.
    .target(name: "CGuardScenarios", path: "Tests/CGuardScenarios", cSettings: cSettings),
    .target(name: "GuardScenarios", dependencies: ["CGuardScenarios", "ThreadGuard"], path: "Tests/GuardScenarios"),
    .executableTarget(
      name: "guard-probe", dependencies: ["GuardScenarios", "ThreadGuard"], path: "Tests/GuardProbe"),
    .executableTarget(
      name: "guard-async-probe", dependencies: ["CrashKit", "GuardScenarios", "ThreadGuard"],
      path: "Tests/GuardAsyncProbe"),
    // What programs find that tests start.
    .target(name: "TestEnvironment", path: "Tests/TestEnvironment", cSettings: cSettings),
    .testTarget(name: "HandlerTests", dependencies: ["TestEnvironment", "handler-probe"]),
    .testTarget(
      name: "CrashCaptureTests",
      dependencies: [
        "CrashKit", "CrashReportModel", "PreviousRuns", "CCrashCapture", "CProcessHooks", "CSecrets", "TestEnvironment",
        "region-probe", "writer-probe", "live-probe", "hang-probe", "hang-async-probe", "event-loop-probe",
        "tasks-probe",
      ], exclude: ["Secrets"]),
  ],
  cLanguageStandard: .gnu17,
  cxxLanguageStandard: .gnucxx17
)
