// Runs the scenario that is named. --list lists them.

import Foundation

/// Does one thing right or wrong with locks or queues and returns, unless what it shows is a deadlock.
struct Scenario: Sendable {
  let name: String
  let run: @Sendable () -> Void

  init(_ name: String, _ run: @escaping @Sendable () -> Void) {
    self.name = name
    self.run = run
  }

  init(inTask name: String, _ run: @escaping @Sendable () async -> Void) {
    self.init(name) {
      let done = Event()
      Task.detached {
        await run()
        done.signal()
      }
      done.await()
    }
  }
}

@main
struct Main {
  static func main() {
    let arguments = CommandLine.arguments
    let all = lockScenarios + queueScenarios + taskScenarios + selfTestScenarios
    if arguments.count == 2, arguments[1] == "--list" {
      for scenario in all { print(scenario.name) }
    } else if arguments.count == 2, let scenario = all.first(where: { $0.name == arguments[1] }) {
      scenario.run()
    } else {
      FileHandle.standardError.write(Data("usage: \(arguments[0]) --list | SCENARIO\n".utf8))
      exit(64)
    }
  }
}

/// Runs each on a thread of its own, one after another; all of the threads exist at the same time.
///
/// What makes them wait is a pipe: a lock would be a part of what is looked at.
func inTurn(_ parts: (@Sendable () -> Void)...) {
  let done = Event()
  let threads = parts.map { part in
    let turn = Event()
    let thread = start {
      turn.await()
      part()
      done.signal()
      turn.await()
    }
    return (thread: thread, turn: turn)
  }
  for (_, turn) in threads {
    turn.signal()
    done.await()
  }
  for (thread, turn) in threads {
    turn.signal()
    pthread_join(thread, nil)
  }
}

/// Runs each on a thread of its own, at the same time, and waits for all.
func together(_ parts: (@Sendable () -> Void)...) {
  for thread in parts.map(start) { pthread_join(thread, nil) }
}

/// Starts a thread that can be waited for until it is gone, as Foundation's cannot.
private func start(_ body: @escaping @Sendable () -> Void) -> pthread_t {
  final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
  var thread = pthread_t()
  let error = pthread_create(
    &thread, nil,
    { argument in
      Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue().run()
      return nil
    }, Unmanaged.passRetained(Body(body)).toOpaque())
  guard error == 0 else { fatalError("pthread_create") }
  return thread
}

/// Something that one thread waits for and another brings about.
struct Event: Sendable {
  private let reading: Int32
  private let writing: Int32

  init() {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { fatalError("pipe") }
    (reading, writing) = (ends[0], ends[1])
  }

  func signal() {
    var byte: UInt8 = 0
    guard write(writing, &byte, 1) == 1 else { fatalError("write") }
  }

  func await() {
    var byte: UInt8 = 0
    guard read(reading, &byte, 1) == 1 else { fatalError("read") }
  }
}
