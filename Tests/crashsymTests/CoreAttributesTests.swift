import CLinuxCalls
import CrashReportModel
import Foundation
import Glibc
import Testing

/// Core files as systemd-coredump keeps them: with extended attributes.
@Suite struct CoreAttributesTests {
  private static let core = Command.fixture("Aarch64/Cores") + "/null-call.core.zst"
  private static let hasAttributes = {
    let scratch = try! Scratch()
    return (try? core(in: scratch, ["pid": "1"])) != nil
  }()

  private let scratch = try! Scratch()

  private static func core(in scratch: Scratch, _ attributes: [String: String]) throws -> String {
    let path = scratch.path("core.victim")
    try? FileManager.default.removeItem(atPath: path)
    try FileManager.default.copyItem(atPath: core, toPath: path)
    for (name, value) in attributes {
      guard setxattr(path, "user.coredump.\(name)", value, value.utf8.count, 0) == 0 else {
        throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
      }
    }
    return path
  }

  private func report(_ attributes: [String: String]) throws -> CrashReport {
    let core = try Self.core(in: scratch, attributes)
    let result = try Command.crashsym("--format", "json", core)
    try #require(result.status == 0, "\(result.errors)")
    return CrashReport(fields: try JSONParser.parse(Array(result.output.utf8)).object)
  }

  private static let moment = "1795759418602923"

  @Test(.enabled(if: hasAttributes, "this file system has no extended attributes"))
  func attributesCompleteTheCore() throws {
    let plain = try report([:])
    let signal = try #require(plain.signal?.number)
    let pid = try #require(plain.process?.pid)
    let told = try report([
      "timestamp": Self.moment, "hostname": "build-7", "pid": "\(pid + 1)", "signal": "\(signal)",
      "comm": try #require(plain.process?.name), "exe": "/srv/victim",
    ])
    #expect(told.timestamp?.microseconds == 1_795_759_418_602_923)
    #expect(plain.timestamp != told.timestamp)
    #expect(told.host?.name == "build-7" && plain.host == nil)
    // The number inside the container, which the core has, rather than the one outside.
    #expect(told.process?.pid == pid)
    #expect(told.process?.name == plain.process?.name && told.signal?.number == signal)
    #expect(told.capture?.cutShort == plain.capture?.cutShort)
  }

  /// The core's notes win, and nothing is taken from attributes that are not of it.
  @Test(
    .enabled(if: hasAttributes, "this file system has no extended attributes"),
    arguments: ["signal": "8", "comm": "sh"])
  func attributesOfAnotherCoreAreLeftOut(_ name: String, _ value: String) throws {
    let report = try report(["timestamp": Self.moment, "hostname": "build-7", name: value])
    #expect(report.timestamp?.microseconds != 1_795_759_418_602_923 && report.host == nil)
    #expect(report.capture?.cutShort?.contains { $0.reason?.contains("its extended attributes") == true } == true)
  }

  @Test(.enabled(if: hasAttributes, "this file system has no extended attributes"))
  func hostileAttributesAreLeftOut() throws {
    let report = try report([
      "timestamp": "-99999999999999999999", "pid": "0x7f", "signal": "11\n",
      "hostname": String(repeating: "h", count: 256),
    ])
    #expect(report.host == nil && report.signal?.number != nil)
    #expect(report.timestamp.map { $0.microseconds > 0 } == true)
    let shown = try Self.core(in: scratch, ["hostname": "a\u{1B}[2J\u{202E}"])
    let text = try Command.crashsym(shown).output
    #expect(!text.contains("\u{1B}[2J") && !text.contains("\u{202E}"))
  }
}
