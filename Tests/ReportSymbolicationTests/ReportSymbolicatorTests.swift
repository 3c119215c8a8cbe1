import CrashReportModel
import Symbolication
import Synchronization
import Testing

@testable import ReportSymbolication

@Suite struct ReportSymbolicatorTests {
  private static let report = #"""
    {"schema":"crashkit/1","cause":"trap","images":[
    {"name":"libb.so","path":"/srv/libb.so","baseAddress":"0x0000000000020000","endOfText":"0x0000000000021000"},
    {"name":"api","buildId":"0aff","path":"/srv/api","baseAddress":"0x0000000000010000","endOfText":"0x0000000000011000"},
    {"name":"libc.so.6","path":"/usr/lib/libc.so.6","baseAddress":"0x0000000000030000"}],
    "threads":[{"id":1,"crashed":true,"frames":[
    {"kind":"programCounter","address":"0x0000000000010010","byFramePointer":true,"extra":1},
    {"kind":"returnAddress","address":"0x0000000000021000","symbol":"old1","inlined":true},
    {"kind":"returnAddress","address":"0x0000000000021000","symbol":"old2"},
    {"kind":"omittedFrames","count":3},
    {"kind":"returnAddress","address":"0x0000000000030020"},
    {"kind":"returnAddress","address":"0x0000000000000500"}]},
    {"id":2,"frames":[{"kind":"returnAddress","address":"0x0000000000010010"}]},{"id":3}]}
    """#

  private func parse(_ text: String) throws -> CrashReport {
    CrashReport(fields: try JSONParser.parse(Array(text.utf8)).object)
  }

  private func call(_ name: String, inlined: Bool = false, runtime: Bool = false) -> SymbolicatedCall {
    SymbolicatedCall(
      mangledName: "$s\(name)", name: name, offset: inlined ? nil : 16,
      location: .init(path: "/src/\(name).swift", line: 7, column: 3, isApproximate: runtime), isInlined: inlined,
      isRuntime: runtime)
  }

  private func symbolicate(
    _ report: CrashReport, _ lookUp: @escaping ReportSymbolicator.LookUp
  ) -> CrashReport {
    ReportSymbolicator(lookUp: lookUp).symbolicate(report)
  }

  @Test func samplesOfAHangAreFilledIn() throws {
    var report = try parse(Self.report)
    let sample =
      #"{"hang":{"samples":[{"after":1,"frames":[{"kind":"programCounter","address":"0x0000000000010020"}]},{}]}}"#
    report.hang = try parse(sample).hang
    let call = call("busy")
    let result = symbolicate(report) { addresses, image in
      (addresses.map { $0.address == 0x10020 ? Lookup(calls: [call]) : Lookup() }, .missing(buildID: nil, searched: []))
    }
    #expect(result.hang?.samples?.first?.frames?.map(\.description) == ["busy + 16"])
    #expect(result.hang?.samples?.last?.frames == nil)
  }

  @Test func everyStackOfAViolationIsFilledIn() throws {
    var report = try parse(Self.report)
    let frames = #"[{"kind":"programCounter","address":"0x0000000000010020"}]"#
    report.violation = try parse(
      #"{"violation":{"locks":[{"origin":\#(frames)},{}],"stacks":[{"frames":\#(frames)}],"#
        + #""edges":[{"fromFrames":\#(frames),"toFrames":\#(frames)}]}}"#
    ).violation
    let call = call("busy")
    let violation = symbolicate(report) { addresses, image in
      (addresses.map { $0.address == 0x10020 ? Lookup(calls: [call]) : Lookup() }, .missing(buildID: nil, searched: []))
    }.violation
    let edge = violation?.edges?.first
    for stack in [violation?.locks?.first?.origin, violation?.stacks?.first?.frames, edge?.fromFrames, edge?.toFrames] {
      #expect(stack?.map(\.description) == ["busy + 16"])
    }
    #expect(violation?.locks?.last?.origin == nil)
  }

  /// A view opens no other file than those that this names.
  @Test func onlyLocationsOfVerifiedBuildsAreVerified() throws {
    var report = try parse(Self.report)
    report.threads?[1].frames?[0].sourceLocation = CrashReport.SourceLocation(
      fields: try JSONParser.parse(Array(#"{"file":"/etc/shadow","line":2}"#.utf8)).object)
    let names = ["api": "Api", "libb.so": "NoBuildID", "libc.so.6": "NoBuildIDEither"]
    let calls = names.mapValues { call($0) }
    func verified(_ status: ImageStatus) -> VerifiedLocations {
      ReportSymbolicator { addresses, image in
        (addresses.map { _ in Lookup(calls: [calls[image.name]!]) }, status)
      }.verified(report).locations
    }
    let found = verified(.found(path: "/srv/x", debugInfo: .dwarf(path: "")))
    #expect(found.contains(file: "/src/Api.swift", line: 7))
    var only = VerifiedLocations()
    only.insert(file: "/src/Api.swift", line: 7)
    #expect(found == only)
    #expect(verified(.mismatched(path: "/srv/x", expected: "", found: nil, searched: [])) == VerifiedLocations())
  }

  @Test func eachInlinedCallIsAnEntryOfTheSameAddress() throws {
    let calls = [call("inner", inlined: true, runtime: true), call("outer")]
    let report = symbolicate(try parse(Self.report)) { addresses, image in
      let found = addresses.map { $0.address == 0x10010 ? Lookup(calls: calls) : Lookup() }
      return (found, .found(path: image.path ?? "", debugInfo: .dwarf(path: "")))
    }
    let frames = try #require(report.threads?.first?.frames)
    #expect(frames.map(\.address?.value) == [0x10010, 0x10010, 0x21000, 0x21000, nil, 0x30020, 0x500])
    #expect(
      frames[0].json.text
        == #"{"kind":"programCounter","address":"0x0000000000010010","byFramePointer":true,"extra":1,"#
        + #""symbol":"$sinner","description":"inner","image":"api","inlined":true,"system":true,"#
        + #""sourceLocation":{"file":"/src/inner.swift","line":7,"column":3,"approximate":true}}"#)
    #expect(
      frames[1].json.text
        == #"{"kind":"programCounter","address":"0x0000000000010010","byFramePointer":true,"extra":1,"#
        + #""symbol":"$souter","offset":16,"description":"outer + 16","image":"api","#
        + #""sourceLocation":{"file":"/src/outer.swift","line":7,"column":3}}"#)
    #expect(report.threads?[1].frames?.count == 2)
    #expect(report.threads?[2].frames == nil)
    #expect(report.symbolication?.missingImages == [])
  }

  @Test func symbolicatingAgainReplacesAllEntries() throws {
    let report = symbolicate(try parse(Self.report)) { addresses, image in
      (addresses.map { _ in Lookup(calls: [self.call("new")]) }, .found(path: "", debugInfo: .dwarf(path: "")))
    }
    #expect(report.threads?.first?.frames?.map(\.symbol) == ["$snew", "$snew", nil, "$snew", nil])
    let again = symbolicate(report) { addresses, image in
      (addresses.map { _ in Lookup(calls: [self.call("new")]) }, .found(path: "", debugInfo: .dwarf(path: "")))
    }
    #expect(again == report)
  }

  @Test func missingFilesAreNamedAndTheirEntriesStay() throws {
    let report = symbolicate(try parse(Self.report)) { addresses, image in
      let lookups = addresses.map { _ in Lookup() }
      switch image.name {
      case "api": return (lookups, .missing(buildID: "0aff", searched: ["/srv/api", "/symbols/0a/ff"]))
      case "libb.so": return (lookups, .mismatched(path: "/srv/libb.so", expected: "01", found: "02", searched: []))
      default: return (lookups, .found(path: "", debugInfo: .dwarf(path: "")))
      }
    }
    let missing = try #require(report.symbolication?.missingImages)
    #expect(missing.map(\.name) == ["api", "libb.so"])
    #expect(missing[0].buildID == "0aff")
    #expect(missing[0].searched == ["/srv/api", "/symbols/0a/ff"])
    #expect(missing[1].foundPath == "/srv/libb.so")
    #expect(missing[1].foundBuildID == "02")
    let frames = try #require(report.threads?.first?.frames)
    #expect(frames.map(\.symbol) == [nil, "old1", "old2", nil, nil, nil])
    #expect(frames.map(\.image) == ["api", "libb.so", "libb.so", nil, "libc.so.6", nil])
    #expect(frames.map(\.isSystem) == [nil, nil, nil, nil, true, nil])
    #expect(report.cause == "trap")
  }

  @Test func imagesWithoutDebugInformationAreNamedUnlessTheyAreTheSystems() throws {
    let report = symbolicate(try parse(Self.report)) { addresses, image in
      let lookups = addresses.map { _ in Lookup(calls: [self.call("f")]) }
      switch image.name {
      case "api": return (lookups, .found(path: "/s/api", debugInfo: .symbolTable, searched: ["/s/api", "/s/x"]))
      case "libb.so": return (lookups, .found(path: "/srv/libb.so", debugInfo: .dwarf(path: "/d")))
      default: return (lookups, .found(path: "/usr/lib/libc.so.6", debugInfo: .dynamicSymbols, searched: ["/c"]))
      }
    }
    let missing = try #require(report.symbolication?.missingImages)
    #expect(missing.map(\.name) == ["api"])
    #expect(missing[0].debugInfo == .symbolTable)
    #expect(missing[0].foundPath == "/s/api")
    #expect(missing[0].searched == ["/s/api", "/s/x"])
  }

  @Test func eachImageIsAskedOnceForEachAddress() throws {
    let asked = Mutex<[String: [UInt64]]>([:])
    let references = Mutex<[ImageReference]>([])
    _ = symbolicate(try parse(Self.report)) { addresses, image in
      asked.withLock { $0[image.name, default: []] += addresses.map(\.address) }
      references.withLock { $0.append(image) }
      return (addresses.map { _ in Lookup() }, .found(path: "", debugInfo: .dwarf(path: "")))
    }
    // 0x10010 is a program counter in one thread and a return address in another.
    #expect(asked.withLock { $0 } == ["api": [0x10010, 0x10010], "libb.so": [0x21000], "libc.so.6": [0x30020]])
    let api = references.withLock { $0.first { $0.name == "api" } }
    #expect(
      api
        == ImageReference(
          name: "api", path: "/srv/api", buildID: [0x0A, 0xFF], baseAddress: 0x10000, endOfText: 0x11000))
  }

  @Test func aFailedCheckOfTheRuntimeIsTheCause() throws {
    let report = symbolicate(try parse(Self.report)) { addresses, image in
      let found = addresses.map {
        Lookup(
          calls: [self.call("f")],
          runtimeFailure: $0.kind == .programCounter ? "Swift runtime failure: arithmetic overflow" : "other")
      }
      return (found, .found(path: "", debugInfo: .dwarf(path: "")))
    }
    #expect(report.cause == "Swift runtime failure: arithmetic overflow")
  }

  @Test(arguments: [
    ("SIGILL", "__DISPATCH_WAIT_FOR_QUEUE__", "deadlock: sync onto a queue on which the thread runs already"),
    ("SIGSEGV", "__DISPATCH_WAIT_FOR_QUEUE__", "trap"), ("SIGILL", "main", "trap"),
    ("SIGTRAP", "dispatch_group_leave.cold.1", "a dispatch group was left more often than entered"),
  ])
  func thePlaceWhereDispatchTrapsIsTheCause(_ signal: String, _ symbol: String, _ cause: String) throws {
    var report = try parse(Self.report)
    report.signal = try parse(#"{"signal":{"number":4,"name":"\#(signal)"}}"#).signal
    var call = call("top")
    call.mangledName = symbol
    let result = symbolicate(report) { [call] addresses, _ in
      (addresses.map { _ in Lookup(calls: [call]) }, .missing(buildID: nil, searched: []))
    }
    #expect(result.cause == cause)
  }

  @Test func framesOfASummaryAreFoundByTheNameOfTheirImage() throws {
    let report = try parse(
      #"""
      {"images":[{"name":"a","baseAddress":"0x0000000000000000"},{"name":"b","baseAddress":"0x0000000000000000"}],
      "threads":[{"frames":[{"kind":"programCounter","address":"0x0000000000000010","image":"b"},
      {"kind":"returnAddress","address":"0x0000000000000020","image":"a"}]}]}
      """#)
    let result = symbolicate(report) { addresses, image in
      (
        addresses.map { _ in Lookup(calls: [self.call("in" + image.name)]) },
        .found(path: "", debugInfo: .dwarf(path: ""))
      )
    }
    #expect(result.threads?.first?.frames?.map(\.description) == ["inb + 16", "ina + 16"])
  }

  @Test func progressCountsImages() throws {
    let progress = SymbolicationProgress()
    let symbolicator = ReportSymbolicator { addresses, _ in
      #expect(progress.images.total == 3)
      return (addresses.map { _ in Lookup() }, .found(path: "", debugInfo: .dwarf(path: "")))
    }
    _ = symbolicator.symbolicate(try parse(Self.report), progress: progress)
    #expect(progress.images == (done: 3, total: 3))
  }
}
