import CrashReportModel
import Foundation
import Testing

/// What a violation leaves behind: a file, lines on standard error, counts, an exit status.
@Suite struct ViolationReportTests {
  private static let kinds = [
    "lockOrderInversion", "deadlock", "lockMisuse", "mainQueueViolation", "dataRace", "nan", "hang",
  ]

  private static func verdicts(_ probe: ViolationProbe) throws -> [Substring] {
    let pipe = Pipe()
    let python = Process()
    python.executableURL = URL(filePath: "/usr/bin/env")
    python.arguments =
      ["python3", "Tests/Helpers/validate.py", "Docs/report.schema.json"] + probe.paths.map { $0.path() }
    python.currentDirectoryURL = ViolationProbe.tests.deletingLastPathComponent()
    python.standardOutput = pipe
    try python.run()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    python.waitUntilExit()
    return text.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 1)[1] }
  }

  @Test func eachKindLeavesOneReportThatFitsTheSchema() throws {
    let probe = try ViolationProbe("all")
    #expect(probe.end == 0)
    #expect(try probe.reports().map { $0.kind?.rawValue } == Self.kinds)
    #expect(try Self.verdicts(probe) == Array(repeating: "valid", count: Self.kinds.count))
    #expect(probe.paths.count == Self.kinds.count)
    for path in probe.paths {
      var status = stat()
      #expect(stat(path.path(), &status) == 0 && status.st_mode & 0o777 == 0o600)
      #expect(path.lastPathComponent.wholeMatch(of: /[0-9]{8}T[0-9]{6}\.[0-9]{3}Z-[0-9]+-[a-zA-Z]+\.json/) != nil)
    }
    let counts = Self.kinds.map { "1 \($0)" }.joined(separator: ", ")
    #expect(probe.errors.last == "7 violations (\(counts)), 0 seen again, 0 suppressed")
  }

  @Test func aLockOrderIsReportedCompletely() throws {
    let probe = try ViolationProbe("lockOrderInversion")
    let report = try #require(try probe.reports().first)
    let violation = try #require(report.violation)
    #expect(violation.severity == .error)
    #expect(violation.code == "cycle")
    #expect(violation.locks?.map(\.name) == ["app.cache", "app.database", "app.gate"])
    #expect(violation.locks?.map(\.type) == ["mutex", "rwlock", "queue"])
    let edges = try #require(violation.edges)
    #expect(edges.map(\.from) == [0, 1] && edges.map(\.to) == [1, 0])
    #expect(edges.map(\.toMode) == ["shared", "exclusive"])
    #expect(edges.map(\.held) == [[2], []])
    #expect(edges.map { $0.thread?.name } == ["reader", "writer"])
    for edge in edges {
      for frames in [edge.fromFrames, edge.toFrames] {
        let kinds = try #require(frames).map(\.kind)
        #expect(kinds.count > 2 && kinds.allSatisfy { $0 == .returnAddress })
      }
    }
    #expect(report.threads?.map(\.isViolating) == [true, nil])
    #expect(report.threads?.map(\.id) == [4002, 4001])
    let own = try #require(report.images?.first { $0.name == "violation-probe" })
    let top = try #require(edges[0].toFrames?.first?.address)
    #expect(own.baseAddress! < top && top < own.endOfText! && own.buildID != nil)
    #expect(probe.errors[0] == "lockOrderInversion: \"app.cache\" and \"app.database\" are taken in opposite orders")
    #expect(probe.errors.contains { $0 == "  crashsym \(probe.paths[0].path())" })
  }

  @Test func aViolationIsReportedOnce() throws {
    let probe = try ViolationProbe("repeat", "50")
    #expect(probe.paths.count == 1)
    #expect(probe.errors.last == "1 violation (1 nan), 49 seen again, 0 suppressed")
  }

  @Test func theLimitIsReportedOnce() throws {
    let probe = try ViolationProbe("many", "20", options: "limit=5")
    #expect(probe.paths.count == 5)
    #expect(probe.errors.filter { $0.hasPrefix("the limit of 5 reports is reached") }.count == 1)
    #expect(probe.errors.last == "20 violations (20 nan), 0 seen again, 0 suppressed, 15 beyond the limit not reported")
  }

  @Test func threadsReportAtOnce() throws {
    let probe = try ViolationProbe("threads", "32")
    #expect(probe.end == 0)
    #expect(probe.paths.count == 16)
    #expect(try Self.verdicts(probe) == Array(repeating: "valid", count: 16))
    #expect(probe.errors.last == "16 violations (16 nan), 496 seen again, 0 suppressed")
  }

  @Test func aChildOfForkCountsItsOwn() throws {
    let probe = try ViolationProbe("fork", options: "exit-status=9")
    #expect(probe.end == 9 && probe.output == "child 9\n")
    #expect(Set(try probe.reports().map { $0.process?.pid }).count == 2)
  }

  @Test func nothingIsAllocatedLockedOrChanged() throws {
    let probe = try ViolationProbe("inside")
    #expect(probe.output == "errno 77, 0 allocations, 0 locks\n")
    #expect(try probe.reports().first?.violation?.edges?.count == 2)
  }

  /// The least that pthreads allow.
  @Test func aSmallStackIsEnough() throws {
    let probe = try ViolationProbe("stack", "16")
    #expect(probe.end == 0 && probe.paths.count == 4)
  }

  @Test func hostileTextsStayOneLineAndOneString() throws {
    let probe = try ViolationProbe("hostile")
    #expect(try Self.verdicts(probe) == ["valid"])
    #expect(probe.errors[0].hasSuffix("line ThreadGuard[1]: forged %s::,?[31m"))
    #expect(!probe.errors.contains { $0.contains("\u{1B}") })
    #expect(try probe.reports().first?.violation?.code == "a\"b\\c")
  }

  // MARK: Options

  @Test func modes() throws {
    let logged = try ViolationProbe("nan", options: "nan=log")
    #expect(logged.paths.isEmpty && logged.errors.contains("nan: 0 divided by 0"))
    let collected = try ViolationProbe("nan", options: "mode=collect,summary=no")
    #expect(collected.paths.isEmpty && collected.errors.isEmpty)
    // The kind's own goes before the general one, wherever it stands.
    let mixed = try ViolationProbe("nan", "dataRace", options: "nan=report,mode=collect")
    #expect(try mixed.reports().map(\.kind) == [.nan])
    let aborted = try ViolationProbe("nan", "dataRace", options: "nan=abort")
    #expect(aborted.end == -SIGABRT)
    #expect(try aborted.reports().map(\.kind) == [.nan])
  }

  @Test func exitStatus() throws {
    #expect(try ViolationProbe("nan", options: "exit-status=1").end == 1)
    #expect(try ViolationProbe("none", options: "exit-status=1").end == 0)
    #expect(try ViolationProbe("nan").end == 0)
  }

  @Test func unknownOptionsAreNamedAndIgnored() throws {
    let probe = try ViolationProbe(
      "nan", options: "bogus=1,nan=frob,limit=-1,exit-status=256,word,,summary=perhaps,mode=")
    let said = probe.errors.filter { $0.hasPrefix("THREADGUARD_OPTIONS: not understood: ") }.map { $0.dropFirst(37) }
    #expect(said == ["bogus=1", "nan=frob", "limit=-1", "exit-status=256", "word", "summary=perhaps", "mode="])
    #expect(probe.end == 0 && probe.paths.count == 1)
    // However many there are.
    let many = try ViolationProbe(
      "none", options: (1...20).map { "bogus\($0)" }.joined(separator: ",") + ",mode=\u{1B}c")
    let lines = many.errors.filter { $0.hasPrefix("THREADGUARD_OPTIONS: not understood: ") }.map { $0.dropFirst(37) }
    #expect(lines == (1...16).map { "bogus\($0)" } + ["5 more"])
    let control = try ViolationProbe("none", options: "mode=\u{1B}c\n")
    #expect(control.errors.first == "THREADGUARD_OPTIONS: not understood: mode=?c ")
    // And what there is instead.
    #expect(control.errors.count == 2)
    let there = try #require(control.errors.last)
    for key in ["limit", "suppressions", "semaphores", "groups", "freed", "perturb", "mode", "deadlock", "hang"] {
      #expect(there.contains(" \(key),") || there.hasSuffix(" \(key)"), "\(key): \(there)")
    }
  }

  @Test func aFolderThatIsALinkIsNotFollowed() throws {
    let target = FileManager.default.temporaryDirectory.appending(path: "target-\(UUID().uuidString)")
    let link = FileManager.default.temporaryDirectory.appending(path: "link-\(UUID().uuidString)")
    let other = FileManager.default.temporaryDirectory.appending(path: "state-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: target, withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
    defer { for url in [target, link, other] { try? FileManager.default.removeItem(at: url) } }
    let probe = try ViolationProbe(
      "nan", environment: ["CRASHKIT_DIRECTORY": link.path(), "XDG_STATE_HOME": other.path()])
    #expect(try FileManager.default.contentsOfDirectory(atPath: target.path()).isEmpty)
    let there = other.appending(path: "crashkit/violation-probe")
    #expect(try FileManager.default.contentsOfDirectory(atPath: there.path()).count == 1)
    #expect(probe.errors.first?.hasPrefix("reports go to \(there.path()): \(link.path()): a symbolic link") == true)
  }

  @Test func everyKeyReadsYesAndNoAlike() throws {
    for (yes, no) in [("yes", "no"), ("on", "off"), ("TRUE", "false"), ("y", "n")] {
      let truths = ["semaphores", "groups", "freed", "quick-locks"].map { "\($0)=\(yes)" }
      let options = truths + ["summary=\(no)", "perturb=\(no)"]
      let probe = try ViolationProbe("nan", options: options.joined(separator: ","))
      #expect(!probe.errors.contains { $0.contains("not understood") }, "\(probe.errors)")
    }
  }

  // MARK: Suppressions

  @Test func suppressionRules() throws {
    let rules = """
      # what is known
      lockOrderInversion lock:app.cach?
      nan function:of_kin*
      image:libfoo.so*
      lockMisuse/unlock-by-other-thread function:*earl*
      lockMisuse/double-unlock image:*
      file:App/*.swift

      nonsense
      frob lock:x
      thing:x
      hang file:
      """
    let probe = try ViolationProbe(
      "lockOrderInversion", "nan", "nan", "lockMisuse", "dataRace", "hang", options: "suppressions=@/rules",
      files: ["rules": rules])
    let path = probe.folder.appending(path: "rules").path()
    #expect(
      probe.errors.filter { $0.hasPrefix(path) } == [
        "\(path):9: a rule is [KIND[/CODE] ]SUBJECT:PATTERN", "\(path):10: no kind of violation has this name",
        "\(path):11: a rule is about a function, an image, a lock or a file", "\(path):12: the pattern is empty",
      ])
    #expect(try probe.reports().map(\.kind) == [.hang])
    #expect(
      probe.errors.suffix(7) == [
        "1 violation (1 hang), 0 seen again, 5 suppressed",
        "suppression \"lockOrderInversion lock:app.cach?\" matched 1 time",
        "suppression \"nan function:of_kin*\" matched 2 times", "suppression \"image:libfoo.so*\" never matched",
        "suppression \"lockMisuse/unlock-by-other-thread function:*earl*\" matched 1 time",
        "suppression \"lockMisuse/double-unlock image:*\" never matched",
        "suppression \"file:App/*.swift\" matched 1 time",
      ])
    // Nobody is told of what is suppressed, the caller least.
    #expect(probe.output == "lockOrderInversion 0\nnan 0\nnan 0\nlockMisuse 0\ndataRace 0\nhang 1\n")
  }

  @Test func aMissingSuppressionFileIsNamed() throws {
    let probe = try ViolationProbe("nan", options: "suppressions=@/none")
    #expect(probe.errors[0] == "\(probe.folder.path())/none: No such file or directory")
    #expect(probe.paths.count == 1)
  }

  /// One may have no end, and the other no beginning.
  @Test(arguments: [("/dev/zero", "Operation not supported"), ("/", "Is a directory")])
  func suppressionsAreReadFromRegularFiles(_ path: String, _ reason: String) throws {
    let probe = try ViolationProbe("nan", options: "suppressions=\(path)")
    #expect(probe.errors[0] == "\(path): \(reason)")
    #expect(probe.paths.count == 1)
  }

  // MARK: In crashsym

  @Test func crashsymShowsTheStacksWithSourceLines() throws {
    let probe = try ViolationProbe("lockOrderInversion")
    let pipe = Pipe()
    let crashsym = Process()
    crashsym.executableURL = ViolationProbe.products.appending(path: "crashsym")
    crashsym.arguments = [probe.paths[0].path()]
    crashsym.currentDirectoryURL = ViolationProbe.tests
    crashsym.standardOutput = pipe
    try crashsym.run()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    crashsym.waitUntilExit()
    #expect(crashsym.terminationStatus == 0)
    #expect(text.contains("Locks: A → B → A\n"))
    #expect(text.contains("A → B: thread 4001 \"reader\" took B for reading while it held A, with C held as well\n"))
    #expect(text.contains("B → A: thread 4002 \"writer\" took A while it held B\n"))
    let source = try String(
      contentsOf: ViolationProbe.tests.appending(path: "ViolationProbe/main.c"), encoding: .utf8)
    for function in ["lock_cache", "then_lock_database", "lock_database", "then_lock_cache"] {
      let line = try #require(
        source.split(separator: "\n", omittingEmptySubsequences: false)
          .firstIndex { $0.contains(" \(function)(void) {") })
      #expect(text.contains(" > 0  \(function) "))
      #expect(text.contains("ViolationProbe/main.c:\(line + 1):"))
    }
  }
}
