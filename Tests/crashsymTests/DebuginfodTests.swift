import Foundation
import Testing

/// A server of `Tests/Helpers/debuginfod_server.py`; it ends with this object.
final class DebuginfodServer {
  let url: String
  private let process = Process()
  private let input = Pipe()

  init(_ arguments: String...) throws {
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", Command.fixture("Helpers/debuginfod_server.py")] + arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    var line = Data()
    while line.last != UInt8(ascii: "\n") {
      let part = output.fileHandleForReading.availableData
      try #require(!part.isEmpty, "the server did not start")
      line += part
    }
    url = "http://127.0.0.1:" + String(decoding: line.dropLast(), as: UTF8.self)
  }

  deinit {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}

/// Debug information from debuginfod servers, a real one and others, all on loopback.
@Suite(.serialized, .timeLimit(.minutes(30))) struct DebuginfodTests {
  private let scratch: Scratch
  /// Stripped; its debug file is in the folder `served` alone.
  private let program: String
  private let buildID: String
  private let address: String

  init() throws {
    scratch = try Scratch()
    program = try scratch.compile(
      "volatile int value;\nint answer(void) {\n  return value;\n}\nint main(void) { return answer(); }\n",
      to: "program", "-g", "-O0", "-Wl,--build-id=sha1")
    let symbols = try Command.run("nm", [program]).output.split(separator: "\n").map { $0.split(separator: " ") }
    address = String(try #require(symbols.first { $0.last == "answer" })[0])
    let notes = try Command.run("readelf", ["-n", program]).output
    buildID = String(try #require(notes.firstMatch(of: /Build ID: ([0-9a-f]+)/)).1)
    try FileManager.default.createDirectory(atPath: scratch.path("served"), withIntermediateDirectories: true)
    _ = try Command.run("objcopy", ["--only-keep-debug", program, scratch.path("served/program.debug")])
    _ = try Command.run("strip", [program])
  }

  private func lookup(_ urls: String?, _ arguments: String..., environment: [String: String?] = [:]) throws
    -> Command.Result
  {
    var variables: [String: String?] = [
      "DEBUGINFOD_URLS": urls, "DEBUGINFOD_CACHE_PATH": scratch.path("cache"), "DEBUGINFOD_PROGRESS": nil,
      "DEBUGINFOD_VERBOSE": nil,
    ]
    variables.merge(environment) { $1 }
    return try Command.run(Command.crashsym, ["lookup", program, address] + arguments, environment: variables)
  }

  private var line: String { "answer at \(program).c:2" }
  private var asked: String { "/buildid/\(buildID)/debuginfo" }
  private var cached: String { scratch.path("cache/\(buildID)/debuginfo") }

  private static let hasServer = (try? Command.run("debuginfod", ["--version"]).status) == 0

  @Test(.enabled(if: hasServer)) func realServer() throws {
    let server = try DebuginfodServer("real", scratch.path("served"), buildID)
    let result = try lookup(server.url)
    #expect(result.output.contains(line))
    #expect(result.errors == "")
    #expect(FileManager.default.fileExists(atPath: cached))
    // From the cache, with the server gone.
    _ = consume server
    #expect(try lookup("http://127.0.0.1:1").output.contains(line))
  }

  /// The program is gone as well: what the server has stands for it.
  @Test(.enabled(if: hasServer)) func reportOfAProgramThatIsGone() throws {
    let server = try DebuginfodServer("real", scratch.path("served"), buildID)
    let base: UInt64 = 0x5500_0000_0000
    let hex = String(try #require(UInt64(address, radix: 16)) + base, radix: 16)
    let report = """
      {"schema":"crashkit/1","timestamp":"2026-11-21T08:24:35Z","kind":"crashReport","images":[{"name":"program",\
      "path":"/gone/program","buildId":"\(buildID)","baseAddress":"0x0000550000000000",\
      "endOfText":"0x0000550000010000"}],"threads":[{"id":1,"crashed":true,"frames":[\
      {"kind":"programCounter","address":"0x0000\(hex)"}]}]}
      """
    func show(_ urls: String?) throws -> String {
      let variables = ["DEBUGINFOD_URLS": urls, "DEBUGINFOD_CACHE_PATH": scratch.path("cache")]
      return try Command.run(Command.crashsym, environment: variables, input: report).output
    }
    #expect(try !show(nil).contains("answer"))
    #expect(try show(server.url).contains("answer  \(program).c:2"))
    let server2 = try DebuginfodServer("missing")
    try FileManager.default.removeItem(atPath: scratch.path("cache"))
    let text = try show(server2.url)
    #expect(text.contains("program was not found, so it has no symbols here (build ID \(buildID))"))
    for kind in ["debuginfo", "executable"] {
      #expect(text.contains("  searched \(server2.url)/buildid/\(buildID)/\(kind) (not there)\n"))
    }
  }

  @Test func nothingIsAskedWithoutTheVariable() throws {
    for urls in [nil, "", " "] {
      let result = try lookup(urls)
      #expect(result.errors.contains("no debug information"))
      #expect(!result.errors.contains("buildid/"))
    }
    #expect(try !lookup("http://127.0.0.1:1", "--debuginfod-limit", "0").errors.contains("buildid/"))
    #expect(!FileManager.default.fileExists(atPath: scratch.path("cache")))
    #expect(try lookup(nil, "--debuginfod-limit", "-1").status == 64)
  }

  @Test(arguments: [("missing", "not there"), ("refused", "connection refused")])
  func noServerHasTheFile(_ mode: String, _ why: String) throws {
    let server = try DebuginfodServer(mode)
    let result = try lookup(server.url)
    #expect(result.status == 0)
    #expect(result.output == "0x\(address.drop { $0 == "0" }): ?? ??:0\n")
    #expect(result.errors.contains("crashsym: no debug information"))
    #expect(result.errors.contains("(build ID \(buildID)): \(program)\n"))
    #expect(result.errors.contains("crashsym:   searched \(server.url)\(asked) (\(why))\n"))
    #expect(result.errors.contains("crashsym:   searched \(program)\n"))
  }

  @Test(arguments: ["never", "drip"])
  func serversThatNeverAnswer(_ mode: String) throws {
    let server = try DebuginfodServer(mode)
    let start = ContinuousClock.now
    let result = try lookup(server.url, "--debuginfod-limit", "1")
    #expect(ContinuousClock.now - start < .seconds(20))
    #expect(result.status == 0)
    #expect(result.errors.contains("\(server.url)\(asked) (took too long)\n"))
    // No progress is shown where nobody looks.
    #expect(!result.errors.contains("downloading"))
    // What was given up is not remembered as missing.
    #expect(!FileManager.default.fileExists(atPath: cached))
    let good = try DebuginfodServer("file", scratch.path("served/program.debug"))
    #expect(try lookup(good.url).output.contains(line))
  }

  @Test func anAnswerLargerThanTheDisk() throws {
    let server = try DebuginfodServer("huge")
    let result = try lookup(server.url)
    #expect(result.status == 0)
    #expect(result.errors.contains("\(server.url)\(asked) (gave more than 4 GiB)\n"))
  }

  @Test func wrongAnswers() throws {
    let other = try scratch.compile("int main(void) { return 1; }\n", to: "other", "-g", "-Wl,--build-id=sha1")
    let text = try scratch.write("<html>Please log in</html>", to: "login")
    for (file, what) in [(text, "gave a file that is not ELF"), (other, "gave a file of another build: ")] {
      let server = try DebuginfodServer("file", file)
      let result = try lookup(server.url)
      #expect(result.output.hasSuffix("?? ??:0\n"))
      #expect(result.errors.contains("\(asked) (\(what)"))
      // It is asked anew when it has come to its senses.
      #expect(!FileManager.default.fileExists(atPath: cached))
    }
    let server = try DebuginfodServer("file", scratch.path("served/program.debug"))
    #expect(try lookup(server.url).output.contains(line))
  }

  @Test func passwordsAreNotShown() throws {
    let server = try DebuginfodServer("missing")
    let url = server.url.replacing("http://", with: "http://user:secret@")
    let result = try lookup(url)
    #expect(!result.errors.contains("secret"))
    #expect(result.errors.contains("\(server.url)\(asked) (not there)"))
  }

  @Test func noFolderForItsCache() throws {
    let server = try DebuginfodServer("file", scratch.path("served/program.debug"))
    let none: [String: String?] = ["HOME": nil, "XDG_CACHE_HOME": nil, "DEBUGINFOD_CACHE_PATH": nil]
    let result = try lookup(server.url, environment: none)
    #expect(result.status == 0)
    #expect(result.errors.contains("(not asked: no folder for its cache, because HOME is not set)"))
    let unusable = try lookup(server.url, environment: ["DEBUGINFOD_CACHE_PATH": program + "/x"])
    #expect(unusable.status == 0)
    #expect(unusable.errors.contains(asked))
  }

  /// On a terminal it says how far it is, and leaves nothing behind on it.
  @Test func progressOnATerminal() throws {
    let server = try DebuginfodServer("drip")
    let command = "\(Command.crashsym) lookup \(program) \(address) --debuginfod-limit 3"
    let result = try Command.run(
      "script", ["-qec", command, "/dev/null"],
      environment: ["DEBUGINFOD_URLS": server.url, "DEBUGINFOD_CACHE_PATH": scratch.path("cache")])
    #expect(result.output.contains("\r\u{1B}[Kcrashsym: downloading debug information of program: 0 of 1048576 KiB"))
    let rest = try #require(result.output.range(of: "KiB", options: .backwards)).upperBound
    #expect(result.output[rest...].hasPrefix("\r\u{1B}[K"))
  }
}
