import CrashReportModel
import Foundation
import Testing

/// The one rule for whose code a frame runs.
@Suite struct FrameOriginsTests {
  private func origin(
    of file: String? = nil, image: String? = nil, path: String? = nil, isSystem: Bool? = nil
  ) -> FrameOrigins.Origin {
    var mapped = CrashReport.Image(fields: JSONObject())
    (mapped.name, mapped.path) = (image, path)
    var report = CrashReport()
    report.images = [mapped]
    var frame = CrashReport.Frame(fields: JSONObject())
    frame.image = image
    frame.isSystem = isSystem
    if let file {
      frame.sourceLocation = CrashReport.SourceLocation(fields: JSONObject())
      frame.sourceLocation?.file = file
    }
    return FrameOrigins(report).origin(of: frame)
  }

  @Test(arguments: [
    ("/home/a/api/Sources/api/Routes.swift", FrameOrigins.Origin.program),
    ("Sources/api/Routes.swift", .program), ("", .program),
    ("/home/a/checkouts/api/Sources/api/Routes.swift", .program),
    ("/home/a/api/.build/a/b/checkouts/C.swift", .program),
    ("/home/a/api/.build/plugins/outputs/api/api/destination/P/Made.swift", .program),
    ("/home/a/api/.build/checkouts/swift-nio/Sources/NIOPosix/Selector.swift", .dependency),
    ("/home/a/api/.build/static/checkouts/swift-nio/Sources/NIOPosix/Selector.swift", .dependency),
    ("/Users/a/DerivedData/api/SourcePackages/checkouts/swift-nio/S.swift", .dependency),
    ("/root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/tokio-1.0.0/src/lib.rs", .dependency),
    ("/opt/swift/usr/lib/clang/21/include/immintrin.h", .toolchain),
    ("/home/build-user/swift-testing/Sources/Testing/Running/Runner.swift", .toolchain),
    ("/tmp/swift-generated-sources/@__swiftmacro_8apiTests1SV1b4TestfMp_.swift", .toolchain),
    ("/home/a/api/.build/x86_64-unknown-linux-gnu/debug/apiPackageTests.derived/runner.swift", .toolchain),
    ("/home/a/crashkit/Sources/CrashKit/Install.swift", .toolchain),
    ("Sources/ThreadGuard/Rules.swift", .toolchain),
    // Linked into programs as CrashKit is, and folders within.
    ("/home/a/crashkit/Sources/Reports/PreviousRuns/Verdict.swift", .toolchain),
    ("/home/a/crashkit/Sources/Locks/CThreadGuard/locks/held.c", .toolchain),
    // Built before the folders were grouped.
    ("/home/a/crashkit/Sources/PreviousRuns/Verdict.swift", .toolchain),
    ("/home/a/crashkit/Sources/CThreadGuard/hooks_enqueue.c", .toolchain),
    ("/home/a/api/Sources/CrashKitSetup/Install.swift", .program),
  ])
  func aSourceFileSaysWhoseCodeItIs(_ file: String, _ expected: FrameOrigins.Origin) {
    #expect(origin(of: file) == expected)
    #expect(origin(of: file, isSystem: true) == .system)
  }

  @Test(arguments: [
    ("api", "/srv/api", FrameOrigins.Origin.program), ("libshop.so", "/opt/shop/libshop.so", .program),
    ("libXCTest.so", "/opt/swift/usr/lib/swift/linux/libXCTest.so", .toolchain),
    ("libTesting.so", "/srv/app/libTesting.so", .toolchain),
    ("lib_TestingInterop.so", "/srv/app/lib_TestingInterop.so", .toolchain),
    ("libIndexStore.so", "/opt/swift/usr/lib/swift/host/libIndexStore.so", .toolchain),
    ("swiftpm-testing-helper", "/usr/libexec/swift/pm/swiftpm-testing-helper", .toolchain),
  ])
  func anImageSaysWhoseCodeItIs(_ name: String, _ path: String, _ expected: FrameOrigins.Origin) {
    #expect(origin(image: name, path: path) == expected)
  }

  /// A second list of what is ours would soon be another one.
  @Test func ourOwnFoldersAndPrefixesAreDataInOnePlace() throws {
    let root = Fixture.tests.deletingLastPathComponent()
    let list = try String(contentsOf: root.appending(path: "Sources/Ground/CReportTerms/own_code.def"), encoding: .utf8)
    let rows = list.matches(of: /(?m)^(OWN|FORMER)\([a-z_]+, "(.+)"\)$/)
    let names = rows.filter { $0.1 == "OWN" }.map { String($0.2) }
    #expect(names.count > 20)
    let folders = names.filter { $0.hasPrefix("Sources/") }
    for folder in folders { #expect(FileManager.default.fileExists(atPath: root.appending(path: folder).path)) }
    for former in rows where former.1 == "FORMER" {
      #expect(!FileManager.default.fileExists(atPath: root.appending(path: String(former.2)).path), "\(former.2)")
    }
    // `diagdemo` is the name of a product as well.
    let listed =
      folders.compactMap { $0.split(separator: "/").last }.filter { $0 != "diagdemo" }
      + names.filter { $0.hasSuffix("_") }.map { $0[...] }
    let data = listed.map { "\"\($0)\"" }
    for top in ["Sources", "Scripts"] {
      let paths = try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: top).path)
      for path in paths where path.hasSuffix(".swift") || path.hasSuffix(".py") {
        let text = try String(contentsOf: root.appending(path: "\(top)/\(path)"), encoding: .utf8)
        for name in data where Self.isInAList(name, text) { Issue.record("\(top)/\(path) holds \(name)") }
      }
    }
  }

  /// Beside other strings, as in a list; a thread's `belongsTo` and a usage line name a part alone.
  private static func isInAList(_ name: String, _ text: String) -> Bool {
    text.contains(name + ", \"") || text.contains("\", " + name)
  }
}
