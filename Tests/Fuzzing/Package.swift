// swift-tools-version: 6.2
import PackageDescription

// The sources are links to the package's own: here they are compiled with the fuzzer's counters, which no other build may
// have. See Docs/inputs.md; Tests/Fuzzing/run builds and runs them.

// Where memory is read through pointers, AddressSanitizer watches; elsewhere it only costs most of the speed.
let watchesAddresses = Context.environment["CRASHKIT_FUZZ_ADDRESSES"] == "yes"
let sanitizer = watchesAddresses ? "-sanitize=fuzzer,address" : "-sanitize=fuzzer"
let instrumented: [SwiftSetting] = [.unsafeFlags([sanitizer, "-enable-testing", "-g", "-parse-as-library"])]
let linked: [LinkerSetting] = [.unsafeFlags([sanitizer])]

func fuzzer(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(name: name, dependencies: dependencies, swiftSettings: instrumented, linkerSettings: linked)
}

let package = Package(
  name: "crashkit-fuzzing",
  targets: [
    .systemLibrary(name: "CLibdw", pkgConfig: "libdw"),
    .systemLibrary(name: "CLinuxCalls"),
    .systemLibrary(name: "CLzma", pkgConfig: "liblzma"),
    .systemLibrary(name: "CZstd", pkgConfig: "libzstd"),
    .target(name: "CSecrets", cSettings: [.headerSearchPath("."), .headerSearchPath("../CReportParts")]),
    .target(name: "CrashReportModel", dependencies: ["CSecrets"], swiftSettings: instrumented),
    .target(name: "CrashReportReading", dependencies: ["CrashReportModel"], swiftSettings: instrumented),
    .target(name: "ReportGrouping", dependencies: ["CrashReportModel"], swiftSettings: instrumented),
    .target(
      name: "CrashReportView", dependencies: ["CLinuxCalls", "CrashReportModel", "ReportGrouping"],
      swiftSettings: instrumented),
    .target(
      name: "Symbolication", dependencies: ["CLibdw", "CLinuxCalls", "CLzma", "CZstd"], swiftSettings: instrumented),
    .target(
      name: "ReportSymbolication", dependencies: ["CrashReportModel", "Symbolication"], swiftSettings: instrumented),
    .target(
      name: "CoreFiles", dependencies: ["CLibdw", "CZstd", "CrashReportModel", "CrashReportReading", "Symbolication"],
      swiftSettings: instrumented),
    fuzzer("CoreFuzzer", ["CoreFiles", "CrashReportView"]),
    fuzzer("ReportFuzzer", ["CrashReportModel", "CrashReportReading", "CrashReportView", "ReportSymbolication"]),
    fuzzer("BinaryFuzzer", ["Symbolication"]),
    fuzzer("NameFuzzer", ["Symbolication"]),
  ]
)
