import CGuardScenarios
import Dispatch
import Foundation
import ThreadGuard

/// NaNs, and what else comes as the same signals. Each prints what was found, one line each.
public enum NaNScenarios {
  /// Runs the scenario that is named; returns the status to exit with.
  public static func run(_ arguments: [String]) -> Int32 {
    guard let name = arguments.first, let scenario = scenarios[name] else { return 64 }
    do {
      try scenario()
      return 0
    } catch {
      say("unsupported: \(error)")
      return 69
    }
  }

  private static let scenarios: [String: @Sendable () throws -> Void] = [
    "born": born, "kinds": kinds, "loop": loop, "stop": stop, "division": division, "threads": threads,
    "scoped": scoped, "quiet": quiet, "blocked": blocked, "fork": forked, "own-handler": ownHandler, "sent": sent,
    "many": many, "deep": deep,
  ]

  /// Prints a violation as it comes.
  private static func listen() {
    ThreadGuard.onViolation { violation in
      let frames = violation.stacks.first?.addresses.count ?? 0
      say("\(violation.code): \(violation.message)\(frames > 2 ? "" : ", without a stack")")
    }
  }

  @inline(never) static func divide(_ a: Double, by b: Double) -> Double { a / b }
  @inline(never) static func opaque<Value>(_ value: Value) -> Value { value }

  private static func born() throws {
    listen()
    try ThreadGuard.NaNTrap.enable()
    let load = divide(opaque(0), by: opaque(0))
    say("load \(load)")
  }

  /// Every operation that makes a NaN or stumbles over one.
  private static func kinds() throws {
    listen()
    try ThreadGuard.NaNTrap.enable(.thread)
    let zero = opaque(0.0)
    let infinity = opaque(Double.infinity)
    let quiet = opaque(0.0) * opaque(Double.infinity)
    let numbers = opaque([1.5, -2.25, 0])
    say("difference \(infinity - infinity)")
    say("sum \(infinity + -infinity)")
    say("product \(zero * infinity)")
    say("root \(opaque(-1.0).squareRoot())")
    say("float \(opaque(Float(0)) / opaque(Float(0)))")
    say("in memory \(zero / numbers[2])")
    say("rounded \(Int32(truncatingIfNeeded: Int64(numbers[1])))")
    say("logarithm \(log(numbers[1]))")
    say("signalling \(opaque(Double.signalingNaN) + 1)")
    say("quiet \(quiet + 1) \(quiet == opaque(quiet)) \(quiet < 1) \([quiet, 0.2].max()!)")
  }

  /// The same instruction many times: told once, and every result is a NaN.
  private static func loop() throws {
    listen()
    try ThreadGuard.NaNTrap.enable(.thread)
    var count = 0
    for _ in 0..<1000 where divide(opaque(0), by: opaque(0)).isNaN { count += 1 }
    say("\(count) NaNs")
    say("a number \(divide(6, by: 3))")
  }

  private static func stop() throws {
    try ThreadGuard.NaNTrap.enable(onNaN: .stop)
    say("load \(divide(opaque(0), by: opaque(0)))")
  }

  /// An integer division by zero on the way of C: SIGFPE, and none of the trap's.
  private static func division() throws {
    listen()
    try ThreadGuard.NaNTrap.enable()
    say("remainder \(guard_integer_division(opaque(1), opaque(0)))")
  }

  private static func threads() throws {
    listen()
    let old = Worker()
    try ThreadGuard.NaNTrap.enable()
    let new = Worker()
    new.run { say("new thread \(divide(opaque(0), by: opaque(0)))") }
    let queue = DispatchQueue(label: "later")
    queue.sync {}
    let done = DispatchSemaphore(value: 0)
    queue.async {
      say("queue \(opaque(Double.infinity) - opaque(Double.infinity))")
      done.signal()
    }
    done.wait()
    // Made by a thread that has no trap.
    old.run {
      let made = Worker()
      made.run { say("thread of an older thread \(opaque(0.0) * opaque(Double.infinity))") }
    }
  }

  private static func scoped() throws {
    listen()
    let before = divide(opaque(0), by: opaque(0))
    let within = try ThreadGuard.NaNTrap.scoped {
      let first = opaque(Double.infinity) - opaque(Double.infinity)
      let hidden = ThreadGuard.NaNTrap.without { opaque(Double.infinity) * opaque(0) }
      return first + hidden
    }
    let after = opaque(Float(0)) / opaque(Float(0))
    say("\(before) \(within) \(after)")
  }

  private static func quiet() throws {
    listen()
    try ThreadGuard.NaNTrap.enable()
    QuietWork.runAll()
    say("done")
  }

  /// On a thread that blocks the signals in question.
  private static func blocked() throws {
    listen()
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGTRAP)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    try ThreadGuard.NaNTrap.enable(.thread)
    say("load \(divide(opaque(0), by: opaque(0)))")
    var now = sigset_t()
    pthread_sigmask(SIG_BLOCK, nil, &now)
    say("still blocked \(sigismember(&now, SIGTRAP) == 1)")
  }

  private static func forked() throws {
    listen()
    try ThreadGuard.NaNTrap.enable()
    let child = guard_fork()
    if child == 0 {
      let load = divide(opaque(0), by: opaque(0))
      _exit(load.isNaN ? 7 : 8)
    }
    var status: Int32 = 0
    waitpid(child, &status, 0)
    say("child \(status >> 8 & 0xff)")
  }

  /// A handler that the program installed before.
  private static func ownHandler() throws {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in
      _ = write(1, "own handler\n", 12)
      _exit(3)
    }
    sigaction(SIGFPE, &action, nil)
    listen()
    try ThreadGuard.NaNTrap.enable()
    say("load \(divide(opaque(0), by: opaque(0)))")
    raise(SIGFPE)
  }

  private static func sent() throws {
    try ThreadGuard.NaNTrap.enable()
    kill(getpid(), SIGFPE)
    while true { pause() }
  }

  /// Threads that meet NaNs at once.
  private static func many() throws {
    listen()
    try ThreadGuard.NaNTrap.enable()
    let workers = (0..<8).map { _ in Worker() }
    for worker in workers {
      worker.start { for _ in 0..<500 { precondition(divide(opaque(0), by: opaque(0)).isNaN) } }
    }
    for worker in workers { worker.wait() }
    say("done")
  }

  /// A NaN that libm makes: who called it must be in the stack, though libm keeps no frame pointers.
  private static func deep() throws {
    ThreadGuard.onViolation { violation in
      let index = violation.stacks.first?.addresses.firstIndex { guard_is_in_power($0) != 0 }
      say("\(violation.code), \(index.map { $0 > 0 ? "below its caller" : "innermost" } ?? "caller missing")")
    }
    try ThreadGuard.NaNTrap.enable()
    say("power \(guard_power(opaque(-4), 0.3))")
  }
}

/// A thread that waits for something to do.
private final class Worker: @unchecked Sendable {
  private let work = DispatchSemaphore(value: 0)
  private let done = DispatchSemaphore(value: 0)
  private var body: @Sendable () -> Void = {}

  init() {
    Thread { [self] in
      work.wait()
      body()
      done.signal()
    }.start()
  }

  func start(_ body: @escaping @Sendable () -> Void) {
    self.body = body
    work.signal()
  }

  func wait() { done.wait() }

  func run(_ body: @escaping @Sendable () -> Void) {
    start(body)
    wait()
  }
}
