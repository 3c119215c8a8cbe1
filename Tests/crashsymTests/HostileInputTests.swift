import Foundation
import Testing

/// Reports that somebody else made: no path in them is opened unless it is a regular file, and nothing in them reaches a
/// terminal.
@Suite(.timeLimit(.minutes(30))) struct HostileInputTests {
  private let scratch = try! Scratch()

  private func report(path: String, text: String = "f") -> String {
    """
    {"schema":"crashkit/1","timestamp":"2026-11-21T08:24:35.997252Z","kind":"crashReport","process":{"pid":1,"name":"\(text)"},\
    "capture":{"cutShort":[{"what":"\(text)","reason":"\(text)"}]},"message":"\(text)","attributes":{"\(text)":"\(text)"},\
    "platform":"\(text)","images":[{"name":"\(text)","path":"\(path)","buildId":"0011","baseAddress":"0x0000000000001000",\
    "endOfText":"0x0000000000009000"}],"threads":[{"id":1,"name":"\(text)","state":"\(text)","crashed":true,\
    "registers":{"\(text)":"\(text)"},"frames":[{"kind":"returnAddress","address":"0x0000000000002000","description":"\(text)",\
    "image":"\(text)","sourceLocation":{"file":"\(path)","line":1,"column":1}}]}]}
    """
  }

  @Test func pathsThatAreNoRegularFiles() throws {
    let pipe = scratch.path("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let link = scratch.path("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: pipe)
    let loop = scratch.path("loop")
    try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
    for path in [pipe, link, loop, "/dev/zero", "/dev/random", "/proc/kcore", "/proc/self/fd/0", "/", "/dev/tty"] {
      let result = try Command.crashsym(try scratch.write(report(path: path), to: "r.json"))
      #expect(result.status == 0, "\(path)")
      #expect(result.errors == "", "\(path)")
      #expect(!result.output.contains(" | "), "no source line is shown of \(path)")
    }
  }

  @Test(arguments: ["text", "collapsed"]) func escapesAreHarmless(_ format: String) throws {
    let text = #"\u001b[2J\u009b31m\u0007\u202e\r\n\u0000x"#
    let file = try scratch.write(report(path: "/nonexistent", text: text), to: "r.json")
    let result = try Command.run(Command.crashsym, ["--color", "never", "--format", format, file])
    #expect(result.status == 0)
    #expect(!result.output.isEmpty)
    for scalar in result.output.unicodeScalars {
      let isControl = scalar.properties.generalCategory == .control && scalar != "\n"
      #expect(!isControl && scalar != "\u{202E}", "U+\(String(scalar.value, radix: 16))")
      if isControl { return }
    }
  }

  @Test func tenGigabytes() throws {
    let path = try scratch.write(report(path: "/nonexistent"), to: "huge.json")
    #expect(truncate(path, 10 << 30) == 0)
    let result = try Command.crashsym(path)
    #expect(result.status == 65)
    #expect(result.errors.split(separator: "\n").count == 1)
  }
}
