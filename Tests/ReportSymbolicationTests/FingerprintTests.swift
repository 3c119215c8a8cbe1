import CrashReportModel
import Symbolication
import Synchronization
import Testing

@testable import ReportSymbolication

@Suite struct FingerprintTests {
  private func frames(_ names: [String]) -> String {
    names.enumerated().map { index, name in
      let address = "0x" + String(repeating: "0", count: 12) + String(0x1000 + index, radix: 16)
      let symbol = name.isEmpty ? "" : ",\"symbol\":\"\(name.replacing("!", with: ""))\""
      let system = name.hasPrefix("!") ? ",\"system\":true" : ""
      return "{\"kind\":\"returnAddress\",\"address\":\"\(address)\"\(symbol)\(system)}"
    }.joined(separator: ",")
  }

  private func fingerprint(_ json: String) throws -> CrashReport.Fingerprint {
    Fingerprinting(CrashReport(fields: try JSONParser.parse(Array(json.utf8)).object)).fingerprint()
  }

  private func crash(_ names: [String], signal: String = "SIGSEGV", more: String = "") throws -> CrashReport.Fingerprint
  {
    try fingerprint(
      #"{"kind":"crashReport","process":{"pid":7,"name":"api"},"signal":{"name":"\#(signal)","number":11}\#(more),"#
        + #""images":[{"name":"api","baseAddress":"0x0000000000000100"}],"#
        + #""threads":[{"id":1,"frames":[]},{"id":7,"crashed":true,"frames":[\#(frames(names))]}]}"#)
  }

  /// The value is a promise: it may change with the rule's version only.
  @Test func theValueBelongsToItsVersion() throws {
    let print = try crash(["$s4main4workyyF", "_ZN4shop4sellEi", "main"])
    #expect(print.functions == ["work()", "shop::sell"])
    #expect(print.eventClass == "memory access")
    #expect(print.value == "2-\(Fingerprinting.hash("2\nmemory access\nwork()\nshop::sell"))")
    #expect(Fingerprinting.hash("foobar") == "85944171f73967e8")
  }

  /// As Python's stacks are.
  @Test func framesWithoutAddressCountByFunctionAndFile() throws {
    func stack(_ places: [(String, String)], more: String = "") throws -> CrashReport.Fingerprint {
      let frames = places.map {
        #"{"kind":"returnAddress","symbol":"\#($0)","sourceLocation":{"file":"\#($1)","line":3}}"#
      }
      return try fingerprint(
        #"{"kind":"error","description":"KeyError: 'x'"\#(more),"threads":[{"id":7,"frames":[\#(frames.joined(separator: ","))]}]}"#
      )
    }
    let print = try stack([("price", "/srv/a/book.py"), ("total", "/srv/a/cart.py"), ("<module>", "/srv/a/app.py")])
    #expect(print.functions == ["price (book.py)", "total (cart.py)"])
    #expect(print.title == "error KeyError in price (book.py)")
    #expect(print.value == "4-\(Fingerprinting.hash("4\nerror KeyError\nprice (book.py)\ntotal (cart.py)"))")
    // The folder differs between machines, and another file has another function of that name.
    #expect(try stack([("price", "/opt/book.py"), ("total", "C:\\\\x\\\\cart.py")]).value == print.value)
    #expect(try stack([("price", "/srv/a/list.py"), ("total", "/srv/a/cart.py")]).value != print.value)
    #expect(try stack([("<module>", "/srv/a/app.py")]).functions == ["<module> (app.py)"])
  }

  @Test func ownFunctionsCountOnceAndFiveOfThem() throws {
    #expect(try crash(["!swift_retain", "a", "b", "a", "b", "a", "!start_thread"]).functions == ["a", "b"])
    #expect(try crash(["a", "b", "c", "d", "e", "f"]).functions == ["a", "b", "c", "d", "e"])
    #expect(try crash(["a", "b", "c", "d", "e", "f"]).value == crash(["a", "b", "c", "d", "e", "g"]).value)
    #expect(try crash(["a", "api_main", "main"]).functions == ["a"])
    #expect(try crash(["main"]).functions == ["main"])
  }

  @Test func theFrameThatOverflowsDoesNotCount() throws {
    let cause = #","cause":"stack overflow (write at 0x7ffd644cfff8)""#
    let first = try crash(["a", "b", "a", "b", "a", "b", "start"], more: cause)
    let second = try crash(["leaf", "b", "a", "b", "a", "b", "a", "b", "other", "main"], more: cause)
    #expect(first.eventClass == "stack overflow")
    #expect(first.functions == ["a", "b"])
    #expect(second.value == first.value)
    #expect(try crash(["a", "b"], more: cause).functions == ["a", "b"])
  }

  @Test func theClassIsCoarse() throws {
    let segment = try crash(["a"])
    #expect(try crash(["a"], signal: "SIGBUS").value == segment.value)
    #expect(try crash(["a"], signal: "SIGILL").value == crash(["a"], signal: "SIGTRAP").value)
    #expect(try crash(["a"], signal: "SIGILL").value != segment.value)
    let sent = #"{"kind":"crashReport","process":{"pid":7},"signal":{"name":"SIGSEGV","pid":9},"threads":[]}"#
    #expect(try fingerprint(sent).eventClass == "sent SIGSEGV")
    // As the Swift runtime's own log has it.
    let threads = #""threads":[{"crashed":true,"frames":[\#(frames(["a"]))]}]"#
    let log = #"{"kind":"crashReport","description":"Illegal instruction",\#(threads)}"#
    #expect(try fingerprint(log).value == crash(["a"], signal: "SIGILL").value)
  }

  @Test func framesWithoutNamesGetAName() throws {
    // Beside names by its image alone, else by its place there.
    #expect(try crash(["a", "", "b"]).functions == ["a", "api", "b"])
    #expect(try crash(["", ""]).functions == ["api+0xf00", "api+0xf01"])
    let system = try crash(["!epoll_wait"])
    #expect(system.functions == ["epoll_wait"])
    #expect(system.program == "api")
    #expect(try crash([]).functions == [])
  }

  @Test func onlyCommonFramesOfAHangCount() throws {
    func hang(_ stacks: [[String]]) throws -> CrashReport.Fingerprint {
      let samples = stacks.map { "{\"frames\":[\(frames($0))]}" }.joined(separator: ",")
      return try fingerprint(
        #"{"kind":"hang","process":{"name":"api"},"hang":{"thread":3,"samples":[\#(samples)]}}"#)
    }
    let print = try hang([
      ["!read", "parse", "load", "run"], ["!memcpy", "copy", "parse", "load", "run"], ["load", "run"],
    ])
    #expect(print.eventClass == "hang")
    #expect(print.functions == ["load", "run"])
    #expect(try hang([["load", "run"]]).value == print.value)
    let threads = #""threads":[{"id":1,"frames":[]},{"id":3,"frames":[\#(frames(["load", "run"]))]}]"#
    let withoutSamples = #"{"kind":"hang","hang":{"thread":3},\#(threads)}"#
    #expect(try fingerprint(withoutSamples).value == print.value)
  }

  /// The first thread is the one that made the report.
  @Test func anActorThatHungIsKnownByItsName() throws {
    let threads = #""threads":[{"id":1,"frames":[\#(frames(["begin", "watch"]))]}]"#
    func hang(_ name: String) throws -> CrashReport.Fingerprint {
      try fingerprint(#"{"kind":"hang","hang":{"subject":"actor","name":"\#(name)"},\#(threads)}"#)
    }
    #expect(try hang("Bank").functions == ["Bank"])
    #expect(try hang("Bank").value != hang("Ledger").value)
  }

  @Test(arguments: [true, false])
  func stuckTasksAreKnownByTheChainOfTheFirst(_ hasFrames: Bool) throws {
    let chain = frames(["!resume", "price", "show"])
    let stuck = hasFrames ? #""frames":[\#(chain)]"# : #""framesOf":1"#
    let print = try fingerprint(
      #"{"kind":"stuckTask","threads":[{"id":1,"frames":[\#(frames(["look", "watch"]))]}],"#
        + #""tasks":[{"id":1,"frames":[\#(chain)]},{"id":2,"isStuck":true,\#(stuck)}]}"#)
    #expect(print.functions == ["price", "show"])
  }

  @Test func otherKindsHaveAFingerprint() throws {
    let threads = #""threads":[{"id":1,"frames":[\#(frames(["lockA", "lockB"]))]}]"#
    let inversion = try fingerprint("{\"kind\":\"lockOrderInversion\",\(threads)}")
    #expect(inversion.eventClass == "lockOrderInversion")
    #expect(inversion.functions == ["lockA", "lockB"])
    let captured =
      #"{"kind":"capture","threads":[{"id":1,"frames":[]},{"id":2,"capturedBy":"caller","frames":[\#(frames(["ask"]))]}]}"#
    #expect(try fingerprint(captured).functions == ["ask"])
    let ended = try fingerprint(
      #"{"kind":"uncleanExit","process":{"name":"api"},"ending":{"classification":"killed","evidence":[]}}"#)
    #expect(ended.eventClass == "uncleanExit killed")
    #expect(ended.program == "api")
    #expect(ended.title == "unclean exit of api: killed")
  }

  /// One middleware captures all errors.
  @Test func errorsAreSeparatedByTypeAndThrow() throws {
    func error(_ type: String, _ thrown: String) throws -> CrashReport.Fingerprint {
      try fingerprint(
        #"{"kind":"error","description":"\#(type): no such file","process":{"name":"api"},"thrown":[\#(thrown)],"#
          + #""threads":[{"id":1,"capturedBy":"caller","frames":[\#(frames(["handle", "serve", "main"]))]}]}"#)
    }
    func thrown(_ names: [String], _ more: String = "") -> String {
      #"{"frames":[\#(frames(["other"]))]},{"isCause":true\#(more),"frames":[\#(frames(names))]}"#
    }
    let loaded = try error("LoadError", thrown(["$s4main4workyyF", "load"]))
    #expect(loaded.eventClass == "error LoadError" && loaded.functions == ["work()", "handle", "serve"])
    #expect(loaded.value == "3-\(Fingerprinting.hash("3\nerror LoadError\nwork()\nhandle\nserve"))")
    #expect(loaded.title == "error LoadError in work()")
    // Of many throws the callers are not kept.
    #expect(try error("LoadError", thrown(["$s4main4workyyF"])).value == loaded.value)
    #expect(try error("LoadError", thrown(["sell"])).value != loaded.value)
    #expect(try error("NetError", thrown(["$s4main4workyyF"])).value != loaded.value)
    for unsure in ["", thrown(["sell"], #","causeKnownBy":"value""#), thrown(["!malloc", "sell"])] {
      #expect(try error("LoadError", unsure).functions == ["handle", "serve"])
    }
    #expect(try error("handle", "").title == "error handle in handle")
    #expect(try fingerprint(#"{"kind":"error","description":"no type","threads":[]}"#).eventClass == "error")
  }

  /// The throw is all that a group has symbolicated beside the stack of the capture.
  @Test func aGroupKnowsTheThrow() throws {
    let report =
      #"{"kind":"error","description":"E: 1","images":[{"name":"api","baseAddress":"0x0000000000000100","endOfText":"0x0000000000ffffff"}],"#
      + #""threads":[{"id":1,"capturedBy":"caller","frames":[{"kind":"returnAddress","address":"0x0000000000001001"}]},{"id":2,"#
      + #""frames":[{"kind":"returnAddress","address":"0x0000000000004001"}]}],"thrown":["#
      + #"{"frames":[{"kind":"returnAddress","address":"0x0000000000003001"}]},"#
      + #"{"isCause":true,"frames":[{"kind":"returnAddress","address":"0x0000000000002001"}]}]}"#
    let looked = Mutex<Set<UInt64>>([])
    let summary = ReportSymbolicator { addresses, _ in
      looked.withLock { $0.formUnion(addresses.map(\.address)) }
      return ([], .missing(buildID: nil, searched: []))
    }.summary(of: CrashReport(fields: try JSONParser.parse(Array(report.utf8)).object))
    #expect(summary.fingerprint.functions?.count == 2)
    #expect(looked.withLock { $0.map { $0 & 0xf000 } }.sorted() == [0x1000, 0x2000])
  }

  @Test func titlesAreWords() {
    func title(_ eventClass: String, _ functions: [String], of program: String? = nil) -> String {
      var fingerprint = CrashReport.Fingerprint()
      (fingerprint.eventClass, fingerprint.functions, fingerprint.program) = (eventClass, functions, program)
      return fingerprint.title
    }
    #expect(title("uncleanExit memoryLimit", [], of: "api") == "unclean exit of api: memory limit")
    #expect(title("lockOrderInversion", ["transfer()", "run()"]) == "lock order inversion in transfer()")
    #expect(title("sent SIGSEGV", ["epoll_wait"], of: "api") == "sent SIGSEGV in epoll_wait")
    #expect(title("memory access", []) == "memory access")
  }

  /// What a package manager fetched is linked into the program, but its own functions come first.
  @Test(arguments: [
    ("/home/a/api/.build/checkouts/swift-nio/Sources/NIOPosix/Selector.swift", true),
    ("/home/a/api/.build/static/checkouts/swift-nio/Sources/NIOPosix/Selector.swift", true),
    ("/Users/a/DerivedData/api/SourcePackages/checkouts/swift-nio/S.swift", true),
    ("/root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/tokio-1.0.0/src/lib.rs", true),
    ("/home/a/checkouts/api/Sources/api/Routes.swift", false), ("/home/a/api/.build/a/b/checkouts/C.swift", false),
    ("/home/a/api/Sources/api/Routes.swift", false),
  ])
  func dependenciesCountWhereNothingElseDoes(_ path: String, _ isDependency: Bool) throws {
    func frame(_ name: String, _ address: Int, _ path: String) -> String {
      "{\"kind\":\"returnAddress\",\"address\":\"0x000000000000\(address)\",\"symbol\":\"\(name)\","
        + "\"sourceLocation\":{\"file\":\"\(path)\",\"line\":3,\"column\":1}}"
    }
    func crash(_ frames: [String]) throws -> CrashReport.Fingerprint {
      try fingerprint(
        #"{"kind":"crashReport","process":{"pid":7,"name":"api"},"signal":{"name":"SIGSEGV","number":11},"#
          + "\"threads\":[{\"id\":7,\"crashed\":true,\"frames\":[\(frames.joined(separator: ","))]}]}")
    }
    let inside = frame("select", 1001, path)
    let own = frame("route", 1002, "/home/a/api/Sources/api/App.swift")
    #expect(try crash([inside, own]).functions == (isDependency ? ["route"] : ["select", "route"]))
    let alone = try crash([inside])
    #expect(alone.functions == ["select"])
    #expect(alone.program == (isDependency ? "api" : nil))
  }

  /// The text view does not mark them. To leave them out of the fingerprint would be another version.
  @Test func theToolchainsLibrariesCountAsTheyDid() throws {
    func frame(_ name: String, _ address: Int, _ image: String) -> String {
      "{\"kind\":\"returnAddress\",\"address\":\"0x000000000000\(address)\",\"symbol\":\"\(name)\",\"image\":\"\(image)\"}"
    }
    let frames = [frame("price", 1001, "api"), frame("invokeTest", 1002, "libXCTest.so")].joined(separator: ",")
    let print = try fingerprint(
      #"{"kind":"crashReport","process":{"pid":7,"name":"api"},"signal":{"name":"SIGSEGV","number":11},"#
        + "\"threads\":[{\"id\":7,\"crashed\":true,\"frames\":[\(frames)]}]}")
    #expect(print.functions == ["price", "invokeTest"])
    #expect(print.value == "2-\(Fingerprinting.hash("2\nmemory access\nprice\ninvokeTest"))")
  }

  @Test(arguments: [
    ("$s1a1RV1gSiyYaKFTY0_", "$s1a1RV1gSiyYaKFTQ1_"), ("$s1a3genyxSgSayxGSLRzlF", "$s1a3genyxSgSayxGSLRzlFSS_Tg5"),
    ("$s4main4workyyFyycfU_", "$s4main4workyyFyycfU0_"), ("_ZN3foo3barEv", "_ZN3foo3barEv.cold"),
    ("_ZN3foo3barEv", "_ZN3foo3barEi"), ("_ZNK3foo3barEv", "_ZN3foo3barEv"), ("compare", "compare.constprop.0"),
  ])
  func buildsDoNotChangeAFunctionsName(_ left: String, _ right: String) {
    #expect(FunctionIdentity.name(ofLinkageName: left) == FunctionIdentity.name(ofLinkageName: right))
  }

  @Test(arguments: [
    ("_ZN12_GLOBAL__N_13fooEv", "(anonymous namespace)::foo"), ("_ZN1AclEi", "A::operator()"), ("main", "main"),
    ("$s4main4workyyFyycfU_", "closure in work()"), ("(", "("), ("", ""), ("_Z)", "_Z)"),
  ])
  func identities(_ linkageName: String, _ name: String) {
    #expect(FunctionIdentity.name(ofLinkageName: linkageName) == name)
  }

  @Test func symbolicatedFramesAreTakenAsTheyAre() throws {
    let report = #"{"fingerprint":{"value":"2-00"},"symbolication":{"missingImages":[]},"threads":[]}"#
    let kept = ReportSymbolicator { _, _ in
      Issue.record("what is symbolicated already is not symbolicated again")
      return ([], .missing(buildID: nil, searched: []))
    }.summary(of: CrashReport(fields: try JSONParser.parse(Array(report.utf8)).object))
    #expect(kept.fingerprint.value == "2-00")
    #expect(kept.isComplete)
  }
}
