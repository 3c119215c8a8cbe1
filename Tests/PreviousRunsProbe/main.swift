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
    // Not malloc, which an optimiser leaves out where nobody reads what it gave.
    mmap(nil, step, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | Int32(MAP_POPULATE), -1, 0)
  }
}

func nullWrite() {
  UnsafeMutablePointer<Int>(bitPattern: 8)!.pointee = 1
}

/// Becomes the user nobody by the function that is named.
func giveUpUser(by function: Substring) {
  let nobody: uid_t = 65534
  let result =
    switch function {
    case "setuid": setuid(nobody)
    case "seteuid": seteuid(nobody)
    default: setreuid(nobody, nobody)
    }
  guard result == 0 else { _exit(98) }
}

func end(_ how: String) throws {
  try installAndRecord()
  if let command = getenv("CK_BEFORE_END") { system(command) }
  switch how {
  case "setuid-crash", "seteuid-crash", "setreuid-crash":
    giveUpUser(by: how.prefix { $0 != "-" })
    nullWrite()
  case "setuid-exit":
    giveUpUser(by: "setuid")
    exit(0)
  case "setuid-closefrom-crash":
    giveUpUser(by: "setuid")
    closefrom(3)
    nullWrite()
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
  case "kill-in-handler":
    signal(SIGSEGV) { _ in kill(getpid(), SIGKILL) }
    nullWrite()
  case "kill-after-handler":
    signal(SIGSEGV) { _ in }
    raise(SIGSEGV)
    kill(getpid(), SIGKILL)
  case "eat": eat()
  case "crash": nullWrite()
  case "wait":
    say("ready")
    waitForEndOfInput()
  default: _exit(64)
  }
}

/// Dies with a secret in its hands: in the arguments and the environment already, on the stack and on the heap, under keys
/// that look like a secret's, in texts as a part that looks like one, and, if `says`, in texts that are meant to be read.
func keepSecret(_ secret: String, how: String, says: Bool) throws {
  try CrashKit.install()
  CrashKit.setAttribute("api_token", secret)
  CrashKit.record("logged in", attributes: ["password": secret, "user": "7"])
  CrashKit.setAttribute("database", "postgres://app:\(secret)@db/app")
  CrashKit.record("GET https://host/?access_token=\(secret)&page=1", attributes: ["query": "a=b&password=\(secret)"])
  if says {
    CrashKit.setAttribute("note", secret)
    CrashKit.record("the answer is \(secret)", attributes: ["note": secret])
  }
  let heap = strdup(secret)!
  withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 16) { stack in
    stack.copyBytes(from: Array(secret.utf8))
    switch how {
    case "kill": kill(getpid(), SIGKILL)
    case "pointed": store(UInt(bitPattern: heap))
    case "fatal": fatalError("cannot reach postgres://app:\(secret)@db")
    default: onThread { nullWrite() }
    }
    // Both are in use to the end.
    _exit(Int32(stack[0] & 0) + Int32(heap[0] & 0) + 98)
  }
}

/// Runs `body` where no register holds what the caller has at hand.
func onThread(_ body: @escaping @convention(c) () -> Void) {
  var thread = pthread_t()
  let start: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { body in
    unsafeBitCast(body, to: (@convention(c) () -> Void).self)()
    return nil
  }
  pthread_create(&thread, nil, start, unsafeBitCast(body, to: UnsafeMutableRawPointer.self))
  pthread_join(thread, nil)
}

/// A crash with the value in a register.
@inline(never) func store(_ value: UInt) {
  UnsafeMutablePointer<UInt>(bitPattern: 8)!.pointee = value
}

/// Starts anew, with a closure that says what it is given.
func next(_ how: String) throws {
  try CrashKit.install(
    .init(onPreviousCrash: { report in
      say("given \(report.name)")
      switch how {
      case "handle": _ = try? report.markHandled()
      case "exit-within": pause()
      case "die": nullWrite()
      case "die-of-hang" where report.kind == "hang": nullWrite()
      default: break
      }
      say("done \(report.name)")
    }))
  say("installed")
  if how == "exit-within" { return }
  waitForEndOfInput()
}

let arguments = CommandLine.arguments
switch (arguments.dropFirst().first, arguments.count) {
case ("end", 3): try end(arguments[2])
case ("secret", 5): try keepSecret(arguments[3], how: arguments[2], says: arguments[4] == "says")
case ("next", 3): try next(arguments[2])
case ("report", 3):
  let outcome = PreviousRuns(in: try ReportDirectory(path: arguments[2])).report()
  for name in outcome.reports { say("made \(name)") }
  for note in outcome.notes { say("note \(note)") }
default: exit(64)
}
