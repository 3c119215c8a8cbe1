import Foundation
import Testing

/// `crashsym doctor`: what it says of programs, and how it ends.
@Suite(.serialized, .timeLimit(.minutes(30))) struct DoctorTests {
  private let scratch = try! Scratch()
  /// What has no problem on any machine that runs these tests.
  private var quiet: [String: String?] {
    ["CRASHKIT_DIRECTORY": scratch.folder.path(), "HOME": "/", "SWIFT_BACKTRACE": nil]
  }

  private func doctor(_ arguments: String..., environment: [String: String] = [:]) throws -> Command.Result {
    var variables = quiet
    for (name, value) in environment { variables[name] = value }
    return try Command.run(Command.crashsym, ["doctor"] + arguments, environment: variables)
  }

  private func findings(_ result: Command.Result) throws -> [[String: String]] {
    try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: String]])
  }

  /// What is said of a program.
  private func finding(_ subject: String, of program: String) throws -> (state: String, text: String) {
    let all = try findings(try doctor("--format", "json", program))
    let found = try #require(all.first { $0["subject"] == subject && $0["program"] == program })
    return (found["state"] ?? "", "\(found["fact"] ?? "")\n\(found["meaning"] ?? "")\n\(found["advice"] ?? "")")
  }

  private func compile(_ name: String, _ flags: String...) throws -> String {
    let functions = (0..<20).map { "__attribute__((noinline)) int f\($0)(int a) { return puts(\"x\") + a; }" }
    let calls = (0..<20).map { "f\($0)(1)" }.joined(separator: "+")
    let source = "#include <stdio.h>\n\(functions.joined(separator: "\n"))\nint main(void) { return \(calls); }\n"
    let file = try scratch.write(source, to: "\(name).c")
    let result = try Command.run("gcc", ["-g", file, "-o", scratch.path(name)] + flags)
    try #require(result.status == 0, "\(result.errors)")
    return scratch.path(name)
  }

  @Test func buildID() throws {
    let with = try finding("build ID", of: try compile("with", "-Wl,--build-id=sha1"))
    #expect(with.state == "ok")
    #expect(with.text.hasPrefix(try FiledProgram.buildID(of: scratch.path("with"))))
    let without = try finding("build ID", of: try compile("without", "-Wl,--build-id=none"))
    #expect(without.state == "problem")
    #expect(without.text.contains("--build-id"))
  }

  @Test func debugInformation() throws {
    let program = try compile("program", "-Wl,--build-id=sha1")
    #expect(try finding("debug information", of: program).state == "ok")
    _ = try Command.run("strip", ["-g", program])
    let names = try finding("debug information", of: program)
    #expect(names.state == "problem")
    #expect(names.text.contains("only a symbol table; searched \(program), /usr/lib/debug/.build-id/"))
    _ = try Command.run("strip", [program])
    let nothing = try finding("debug information", of: program)
    #expect(nothing.state == "problem")
    #expect(nothing.text.contains("stripped") && nothing.text.contains("crashsym symbols add"))
    // Elsewhere.
    let again = try compile("again", "-Wl,--build-id=sha1")
    _ = try Command.run(Command.crashsym, ["symbols", "add", "--strip", "--to", scratch.path("store"), again])
    #expect(try finding("debug information", of: again).state == "problem")
    let result = try doctor("--format", "json", "--symbols", scratch.path("store"), again)
    let found = try #require(try findings(result).first { $0["subject"] == "debug information" })
    #expect(found["state"] == "ok")
    #expect(found["fact"]?.hasPrefix("in \(scratch.path("store"))/.build-id/") == true)
  }

  @Test func unwinding() throws {
    let with = try finding("unwinding", of: try compile("with", "-O1", "-fno-omit-frame-pointer"))
    #expect(with.state == "ok")
    #expect(with.text.contains("call-frame information, and "))
    let without = try finding("unwinding", of: try compile("without", "-O1", "-fomit-frame-pointer"))
    #expect(without.state == "note")
    #expect(without.text.contains("libunwind"))
    let bare = try compile("bare", "-O1")
    _ = try Command.run("objcopy", ["-R", ".eh_frame", "-R", ".eh_frame_hdr", "-R", ".debug_frame", bare])
    let nothing = try finding("unwinding", of: bare)
    #expect(nothing.state == "problem")
    #expect(nothing.text.contains("no call-frame information"))
  }

  @Test func captureAndLinking() throws {
    let plain = try compile("plain")
    #expect(try finding("capture", of: plain).state == "note")
    #expect(try finding("capture", of: plain).text.contains("crashsym run"))
    #expect(try finding("linking", of: plain).state == "ok")
    let linked = Command.products.appending(path: "diagdemo").path()
    #expect(try finding("capture", of: linked).state == "ok")
    let fixed = try compile("fixed", "-static")
    #expect(try finding("capture", of: fixed).state == "problem")
    #expect(try finding("capture", of: fixed).text.contains("statically linked"))
    #expect(try finding("linking", of: fixed).state == "note")
    let raised = try compile("raised")
    #expect(chmod(raised, 0o4755) == 0)
    #expect(try finding("capture", of: raised).text.contains("setuid"))
  }

  @Test func sanitizers() throws {
    for (name, flag) in [("AddressSanitizer", "address"), ("ThreadSanitizer", "thread"), ("LeakSanitizer", "leak")] {
      let found = try finding("sanitizer", of: try compile(flag, "-fsanitize=\(flag)"))
      #expect(found.state == "note")
      #expect(found.text.hasPrefix("\(name)\n") && found.text.contains("_OPTIONS=abort_on_error=1"))
    }
    let plain = try compile("plain")
    #expect(try !findings(try doctor("--format", "json", plain)).contains { $0["subject"] == "sanitizer" })
  }

  @Test func exitStatus() throws {
    let good = try compile("good", "-Wl,--build-id=sha1")
    let fine = try doctor(good)
    #expect(fine.status == 0, "\(fine.output)")
    #expect(fine.output.hasSuffix("\nno problem found\n"))
    #expect(fine.errors == "")
    _ = try Command.run("strip", [good])
    let bad = try doctor(good)
    #expect(bad.status == 1)
    #expect(bad.output.hasSuffix("\n1 problem found\n"))
    #expect(bad.output.contains("\nproblem  debug information  none, stripped"))
    #expect(try doctor(environment: ["CRASHKIT_OPTIONS": "enable=no"]).status == 1)
    #expect(try doctor(scratch.path("none")).errors == "crashsym: no such file: \(scratch.path("none"))\n")
    #expect(try doctor(scratch.path("none")).status == 66)
    let text = try scratch.write("x", to: "text")
    #expect(try doctor(text).status == 65)
    #expect(try doctor("--format", "yaml").status == 64)
    // As found in PATH.
    #expect(try doctor("env").output.contains("/env\n"))
  }

  @Test func linesAreWrappedOnATerminal() throws {
    let command = "stty cols 70; \(Command.crashsym) doctor"
    let result = try Command.run("script", ["-qec", command, "/dev/null"], environment: quiet, input: "")
    let lines = result.output.split(whereSeparator: \.isNewline)
    #expect(lines.count > 15)
    // A word that is longer than the room is left whole.
    #expect(lines.allSatisfy { $0.count <= 70 || $0.contains(scratch.folder.path()) })
    // The words are those of a pipe.
    func words(_ text: String) -> [Substring] { text.split { $0.isWhitespace } }
    #expect(words(result.output) == words(try doctor().output))
  }

  @Test func serversAreAskedOnRequestOnly() throws {
    let variables = [
      "DEBUGINFOD_URLS": "http://127.0.0.1:1", "DEBUGINFOD_CACHE_PATH": scratch.path("cache"),
    ]
    #expect(try !doctor(environment: variables).output.contains("debuginfod servers"))
    #expect(!FileManager.default.fileExists(atPath: scratch.path("cache")))
    let refused = try doctor("--ask-servers", environment: variables)
    #expect(refused.status == 1)
    #expect(refused.output.contains("(connection refused): no server gives debug information"))
    let server = try DebuginfodServer("missing")
    let fine = try doctor("--ask-servers", environment: variables.merging(["DEBUGINFOD_URLS": server.url]) { $1 })
    #expect(fine.output.contains("\nok       debuginfod servers  \(server.url)/buildid/"))
  }
}
