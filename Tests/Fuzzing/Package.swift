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
    .target(name: "CGround", cSettings: [.define("_GNU_SOURCE")]),
    .target(name: "CSecrets", dependencies: ["CGround"], cSettings: [.define("_GNU_SOURCE")]),
    .target(
      name: "CReportTerms", dependencies: ["CGround"], exclude: ["causes.def", "own_code.def", "signals.def"],
      cSettings: [.define("_GNU_SOURCE")]),
    .target(name: "LinuxCalls", dependencies: ["CLinuxCalls"], swiftSettings: instrumented),
    .target(name: "CrashReportModel", dependencies: ["CReportTerms", "CSecrets"], swiftSettings: instrumented),
    .target(name: "CrashReportReading", dependencies: ["CrashReportModel", "LinuxCalls"], swiftSettings: instrumented),
    .target(name: "ReportGrouping", dependencies: ["CrashReportModel"], swiftSettings: instrumented),
    .target(
      name: "CrashReportView", dependencies: ["CLinuxCalls", "CrashReportModel", "LinuxCalls", "ReportGrouping"],
      swiftSettings: instrumented),
    .target(
      name: "Symbolication", dependencies: ["CLibdw", "CLinuxCalls", "CLzma", "CReportTerms", "CZstd", "LinuxCalls"],
      swiftSettings: instrumented),
    .target(
      name: "ReportSymbolication", dependencies: ["CrashReportModel", "LinuxCalls", "Symbolication"],
      swiftSettings: instrumented),
    .target(
      name: "CoreFiles",
      dependencies: [
        "CLibdw", "CLzma", "CZstd", "CrashReportModel", "CrashReportReading", "LinuxCalls", "Symbolication",
      ],
      swiftSettings: instrumented),
    fuzzer("CoreFuzzer", ["CoreFiles", "CrashReportView"]),
    fuzzer("ReportFuzzer", ["CrashReportModel", "CrashReportReading", "CrashReportView", "ReportSymbolication"]),
    fuzzer("BinaryFuzzer", ["Symbolication"]),
    fuzzer("NameFuzzer", ["Symbolication"]),
  ],
  cLanguageStandard: .gnu17
)
