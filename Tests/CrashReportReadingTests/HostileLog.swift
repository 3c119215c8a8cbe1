import Testing

/// A log that repeats a piece, in which `#` stands for the piece's number.
struct HostileLog: Sendable, CustomTestStringConvertible {
  let piece: String
  var start = ""
  var testDescription: String { start + piece }

  static let size = 32 << 10

  func bytes(_ size: Int) -> [UInt8] {
    var text = start
    var number = 1
    while text.utf8.count < size {
      text += piece.replacing("#", with: "\(number)")
      number += 1
    }
    return Array(text.utf8)
  }

  static let all = [
    // Marks in one line.
    Self(piece: "CrashKit["), Self(piece: "CrashKit[1]: "), Self(piece: "CrashKit[#]: x "),
    Self(piece: "crashkit-report "), Self(piece: "crashkit-report 12345678-1 # QUJD "),
    Self(piece: "Program crashed: "), Self(piece: "Program crashed: Backtracing "),
    // One process that says everything, and many that say little.
    Self(piece: "CrashKit[1]: a died: b\n"), Self(piece: "CrashKit[#]: a died: b\n"),
    Self(piece: "CrashKit[#]: a goes on after SIGQUIT: 1 threads\n"),
    Self(
      piece: "CrashKit[1]: thread x\nCrashKit[1]:   0 a+0x1\n",
      start: "CrashKit[1]: a goes on after SIGQUIT: 1 threads\nCrashKit[1]: thread 1\n"),
    Self(
      piece: "CrashKit[1]: thread #\nCrashKit[1]:   0 a+0x1\n",
      start: "CrashKit[1]: a goes on after SIGQUIT: 1 threads\n"),
    Self(
      piece: "CrashKit[1]: image a b c d e f g h 0 /i j k l m n o p q r s t u v w x y z\n",
      start: "CrashKit[1]: a goes on after SIGQUIT\n"),
    Self(piece: "crashkit-report 12345678-# 1 eyJzY2hlbWEiOiJjcmFzaGtpdC8xIn0=\n"),
    // The backtracer's text.
    Self(piece: "Program crashed: a\n"), Self(piece: "Program crashed: a\nFatal error: a\n"),
    Self(piece: "*** Signal 4: Backtracing from 0x1... done ***\nProgram crashed: a\n"),
    Self(
      piece: "rax 0x10000# 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f\n",
      start: "Program crashed: a\nThread 0 crashed:\n"),
    Self(piece: "Thread # crashed:\n\n0 0x1 a + 1 in b at /c:1:2\n", start: "Program crashed: a\n"),
    Self(piece: "0x#000-0x#fff ab a /a\n", start: "Program crashed: a\nThread 0:\n"),
    Self(piece: " in at + ", start: "Program crashed: a\nThread 0:\n0 0x1 "),
    // JSON.
    Self(piece: #"{"log":"{\"a\":1}"}"# + "\n"), Self(piece: #"{\""#), Self(piece: #"{"schema":"crashkit/1"}"#),
    Self(piece: #"{"schema":"crashkit/1","a":["#), Self(piece: "\"a\":1,", start: #"{"schema":"crashkit/1","#),
    Self(piece: "9", start: #"{"schema":"crashkit/1","a":"#),
    Self(piece: "\\u12", start: #"{"schema":"crashkit/1","a":""#),
    Self(piece: "x", start: #"{"schema":"crashkit/1","a":""#), Self(piece: "{\"kind\""),
    Self(piece: "[{},", start: #"{"kind":"#),
    Self(piece: #""threads":[{}],"#, start: #"{"schema":"crashkit/1","#),
  ]
}
