// A program that links both libraries and breaks rules.
//
// guarded-probe FOLDER capture   off its queue, then a capture
// guarded-probe FOLDER abort     off its queue, which is to end it
// guarded-probe FOLDER handle    violations of Swift and of C, with a handler
// guarded-probe FOLDER collect   the same, collected
// guarded-probe FOLDER suppress  the same, with a rule for the one of C

import CThreadGuard
import CrashKit
import Dispatch
import Glibc
import Synchronization
import ThreadGuard

let folder = CommandLine.arguments[1]
try CrashKit.install(.init(directory: folder, application: .init(name: "guarded", version: "1.5")))

let expected = DispatchQueue(label: "expected")
func breakRuleInSwift() {
  DispatchQueue(label: "background").sync { ThreadGuard.assertOn(expected) }
}

/// As interposed functions report, with a lock that the handler takes as well.
let lock = Mutex(0)
func breakRuleInC() -> Bool {
  lock.withLock { _ in
    "off-by-one".withCString { code in
      "found in C".withCString { message in
        var violation = ctg_violation()
        violation.kind = CTG_LOCK_MISUSE
        violation.severity = CTG_NOTE
        violation.code = code
        violation.message = message
        return ctg_violation_report(&violation) != 0
      }
    }
  }
}

func describe(_ violation: ThreadGuard.Violation) -> String {
  "\(violation.kind) \(violation.severity) \(violation.code): \(violation.message)"
}

switch CommandLine.arguments[2] {
case "capture":
  breakRuleInSwift()
  try CrashKit.capture("afterwards")
case "abort":
  ThreadGuard.setMode(.abort, for: .mainQueueViolation)
  breakRuleInSwift()
case "handle":
  let both = DispatchSemaphore(value: 0)
  let lines = Mutex<[String]>([])
  let main = pthread_self()
  ThreadGuard.onViolation { violation in
    lock.withLock { $0 += 1 }
    let place = pthread_equal(pthread_self(), main) != 0 ? "here" : "elsewhere"
    lines.withLock { $0.append("\(place): \(describe(violation))") }
    both.signal()
  }
  breakRuleInSwift()
  both.wait()
  _ = breakRuleInC()
  both.wait()
  ThreadGuard.onViolation(nil)
  for line in lines.withLock({ $0 }) { print(line) }
case "collect":
  try ThreadGuard.configure(.init(mode: .collect))
  for _ in 0..<2 {
    breakRuleInSwift()
    _ = breakRuleInC()
  }
  let taken = ThreadGuard.takeViolations()
  for violation in taken.violations { print(describe(violation), violation.stacks.count) }
  // Again and again: there are two halves.
  print(taken.omitted, (0..<3).map { _ in ThreadGuard.takeViolations().violations.count })
case "suppress":
  for (path, code) in [(folder + "/none", ENOENT), (folder, EISDIR), ("/dev/zero", ENOTSUP)] {
    do {
      try ThreadGuard.configure(.init(suppressions: path))
    } catch {
      print(error.code == code)
    }
  }
  try ThreadGuard.configure(.init(limit: 1, exitStatus: 4, suppressions: folder + "/rules"))
  print(breakRuleInC())
  breakRuleInSwift()
default: exit(64)
}
