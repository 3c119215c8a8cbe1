import CrashReportModel
import Testing

@testable import ReportSending

/// Reports whose functions have no names.
@Suite struct BuildFingerprintTests {
  private func report(_ addresses: [UInt64], program: String? = "api") throws -> CrashReport {
    let frames = addresses.map { #"{"kind":"programCounter","address":"0x\#(String($0, radix: 16))"}"# }
    let text = #"""
      {"signal":{"name":"SIGSEGV","number":11},"process":{"name":"\#(program ?? "")"},"images":[
      {"name":"api","path":"/srv/api","buildId":"abcd","baseAddress":"0x1000","endOfText":"0x2000"},
      {"name":"libc.so.6","buildId":"ef01","baseAddress":"0x5000","endOfText":"0x6000"}],
      "threads":[{"id":1,"crashed":true,"frames":[\#(frames.joined(separator: ","))]}]}
      """#
    return CrashReport(fields: try JSONParser.parse(Array(text.utf8)).object)
  }

  private func value(_ addresses: [UInt64], program: String? = "api") throws -> String? {
    BuildFingerprint.of(try report(addresses, program: program)).value
  }

  /// The hash of `SIGSEGV`, a line end and `abcd+0x10`.
  @Test func theFingerprintIsTheHashOfTheSignalAndThePlaces() throws {
    #expect(try value([0x1010]) == "b1-01ccb6fe6267ce11")
  }

  @Test func onlyThePlacesOfTheProgramCount() throws {
    #expect(try value([0x1010, 0x5010]) == value([0x5020, 0x1010, 0x1010]))
    #expect(try value([0x1010]) != value([0x1018]))
    #expect(try value([0x5010]) != value([0x5018]))
    #expect(try value([0x5010]) == value([0x5010, 0x9000], program: nil))
    let five: [UInt64] = [0x1001, 0x1002, 0x1003, 0x1004, 0x1005]
    #expect(try value(five) == value(five + [0x1006]))
  }

  @Test func aFingerprintThatIsKnownStays() throws {
    var report = try report([0x1010])
    report.fingerprint = CrashReport.Fingerprint()
    report.fingerprint?.value = "2-0123456789abcdef"
    #expect(BuildFingerprint.of(report).value == "2-0123456789abcdef")
  }
}
