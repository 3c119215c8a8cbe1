import Foundation
import Testing

/// Credentials in the message of a crash, and in the memory at the crashed thread's registers.
@Suite(.serialized) struct SecretProbeTests {
  private func run(_ name: String, at place: Int) throws -> HandlerProbe {
    try HandlerProbe(name, environment: ["PROBE_PLACE": String(place)])
  }

  @Test(arguments: [2030, 2040, 4060, 4068, 4075, 4080, 4085, 4096, 5095, 5105, 5115])
  func aMessageIsMaskedBeforeItIsCut(_ place: Int) throws {
    let run = try run("secret-at-the-cut", at: place)
    let report = try run.report()
    let message = try #require(report.message)
    #expect(!message.contains("Sword"))
    #expect(message.utf8.count > 4000 && message.hasSuffix("…"))
    #expect(report.capture.cutShort.contains(.init(what: "message", reason: "too long")))
  }

  @Test(arguments: [0, 990, 1000, 1010, 1020, 1030]) func theTextOfACaptureIsMaskedBeforeItIsCut(_ place: Int) throws {
    let run = try run("secret-in-capture", at: place)
    #expect(run.end == .exited(0))
    let text = try String(contentsOf: try #require(run.reportFiles().first), encoding: .utf8)
    #expect(text.contains(#""description":"#) && text.contains("…") && !text.contains("Sword"))
  }

  /// Long variables and arguments are cut, and the last ones that fit into the room are cut too.
  @Test(arguments: ["environment", "arguments"])
  func longTextsOfTheProcessAreMaskedBeforeTheyAreCut(_ what: String) throws {
    let secret = " postgres://u:Swordfish77@h/d "
    let long = String(repeating: "x", count: 5000) + secret + String(repeating: "y", count: 1000)
    var arguments = ["after"]
    var environment: [String: String] = [:]
    for number in 0..<600 {
      if what == "environment" { environment["V\(number)"] = secret } else { arguments.append(secret) }
    }
    if what == "environment" { environment["LONG"] = long } else { arguments.insert(long, at: 1) }
    let run = try HandlerProbe("null-read", arguments, environment: environment, options: "\(what)=yes")
    #expect(run.end == .killed(signal: SIGSEGV))
    let report = try run.report()
    #expect(report.capture.cutShort.contains(.init(what: what, reason: "longer than 16383 bytes")))
    let text = try String(contentsOf: try #require(run.reportFiles().first), encoding: .utf8)
    #expect(text.contains("postgres://***@h/d") && !text.contains("Sword"))
  }

  /// The bytes at registers, as the characters that they stand for.
  private func memory(at place: Int) throws -> [String] {
    let run = try run("secret-at-registers", at: place)
    #expect(run.end == .killed(signal: SIGSEGV))
    let file = try #require(run.reportFiles().first)
    let report = try #require(JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
    let captured = try #require(report["capturedMemory"] as? [String: String])
    return captured.values.map { hex in
      let digits = Array(hex)
      let pairs = stride(from: 0, to: digits.count - 1, by: 2).map { String(digits[$0...$0 + 1]) }
      let bytes = pairs.compactMap { UInt8($0, radix: 16) }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  @Test func memoryAtRegistersHoldsNoCredentialOfTheMessage() throws {
    let memory = try memory(at: 0)
    #expect(memory.contains("***********\0and\0"))
    #expect(memory.contains { $0.hasPrefix("**************") }, "what stands behind a key: \(memory)")
    #expect(memory.contains { $0.hasPrefix("res://") && !$0.contains("Sword") }, "\(memory)")
    #expect(!memory.contains { $0.contains("wordf") || $0.contains("unter2") })
  }

  @Test func otherTextsStay() throws {
    let memory = try memory(at: 1)
    #expect(memory.contains("harmless words h"))
    #expect(memory.contains("user=bob pw=****"))
    #expect(memory.contains { $0.hasPrefix("*******\0and\0") }, "the end of a value: \(memory)")
  }
}
