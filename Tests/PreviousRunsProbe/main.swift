import CCrashCapture
import CrashKit
import Glibc
import PreviousRuns

// A program that tests end in one way or another, and start again: `previous-runs-probe NAME ARGUMENT…`. Its folder is
// CRASHKIT_DIRECTORY.

/// Says a line at once: the test waits for it.
func say(_ text: String) {
  let line = Array("\(text)\n".utf8)
  guard write(1, line, line.count) == line.count else { _exit(99) }
}

func installAndRecord() throws {
  try CrashKit.install(.init(application: .init(name: "probe", version: "2.1", build: "abc")))
  CrashKit.setAttribute("tenant", "blue")
  CrashKit.registerMetric("memory.resident", unit: "bytes").update(1_000_000, state: .nominal, threshold: 2_000_000)
  CrashKit.record("started", category: "lifecycle")
  CrashKit.record("last one", category: "lifecycle", level: .warning, attributes: ["order": "7"])
}

func waitForEndOfInput() {
  var byte: UInt8 = 0
  while read(0, &byte, 1) > 0 {}
}

/// Takes memory until there is no more.
func eat() {
  let step = 1 << 20
  while true {
    guard let memory = malloc(step) else { continue }
    memset(memory, 0x5A, step)
  }
}

func nullWrite() {
  UnsafeMutablePointer<Int>(bitPattern: 8)!.pointee = 1
}

func end(_ how: String) throws {
  try installAndRecord()
  switch how {
  case "kill": kill(getpid(), SIGKILL)
  case "terminate": kill(getpid(), SIGTERM)
  case "exit": exit(3)
  case "_exit-0": _exit(0)
  case "_exit-3": _exit(3)
  case "quick_exit-4": quick_exit(4)
  case "exit-then-_exit":
    atexit { _exit(5) }
    exit(5)
  case "hang":
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    ck_region_set_hang(UInt64(now.tv_sec - 2) * 1_000_000_000)
    kill(getpid(), SIGKILL)
  case "hang-over":
    ck_region_set_hang(1)
    ck_region_set_hang(0)
    kill(getpid(), SIGKILL)
  case "eat": eat()
  case "crash": nullWrite()
  case "wait":
    say("ready")
    waitForEndOfInput()
  default: _exit(64)
  }
}

/// Starts anew, with a closure that says what it is given.
func next(_ how: String) throws {
  try CrashKit.install(
    .init(onPreviousCrash: { report in
      say("given \(report.name)")
      switch how {
      case "handle": _ = try? report.markHandled()
      case "die": nullWrite()
      case "die-of-hang" where report.kind == "hang": nullWrite()
      default: break
      }
    }))
  say("installed")
  waitForEndOfInput()
}

let arguments = CommandLine.arguments
switch (arguments.dropFirst().first, arguments.count) {
case ("end", 3): try end(arguments[2])
case ("next", 3): try next(arguments[2])
case ("report", 3):
  let outcome = PreviousRuns(in: try ReportDirectory(path: arguments[2])).report()
  for name in outcome.reports { say("made \(name)") }
  for note in outcome.notes { say("note \(note)") }
default: exit(64)
}
