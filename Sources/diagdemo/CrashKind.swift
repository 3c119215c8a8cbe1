import CDiagdemoCrashes
import Dispatch

/// One way for a program to die.
struct CrashKind: Sendable {
  /// Brings a death about. Returns only where the machine prevents it.
  enum Trigger: Sendable {
    case synchronous(@Sendable () -> Void)
    case asynchronous(@Sendable () async -> Void)
  }

  /// What a user types.
  let name: String
  /// What happens, in a line.
  let summary: String
  let trigger: Trigger
  /// What the program does before it installs CrashKit.
  let preparation: (@Sendable () -> Void)?
  /// Whether CrashKit's work for earlier runs ends first, so that its thread cannot die in place of the kind's own.
  private(set) var awaitsLaunchWork = false

  init(
    _ name: String, _ summary: String, _ trigger: Trigger, preparation: (@Sendable () -> Void)? = nil
  ) {
    self.name = name
    self.summary = summary
    self.trigger = trigger
    self.preparation = preparation
  }

  init(_ name: String, _ summary: String, body: @escaping @Sendable () -> Void) {
    self.init(name, summary, .synchronous(body))
  }

  /// The kind called `name`: one of the catalogue; `thread-KIND` for one that needs no async context, on a thread of
  /// its own; `exhaustfd-KIND` for either, after all descriptors have been used up.
  init?(named name: String) {
    if let kind = CrashKind.catalogue.first(where: { $0.name == name }) {
      self = kind
    } else if let kind = CrashKind(named: name, after: "exhaustfd-") {
      let trigger = kind.trigger.after { crash_exhaust_descriptors() }
      self.init(name, kind.summary + ", with all descriptors used up", trigger)
      awaitsLaunchWork = kind.awaitsLaunchWork
    } else if let kind = CrashKind(named: name, after: "thread-"), case .synchronous(let body) = kind.trigger {
      self.init(name, kind.summary + ", on a thread of its own") { runOnThread(body) }
      awaitsLaunchWork = kind.awaitsLaunchWork
    } else {
      return nil
    }
  }

  private init?(named name: String, after prefix: String) {
    guard name.hasPrefix(prefix) else { return nil }
    self.init(named: String(name.dropFirst(prefix.count)))
  }

  /// The same, once CrashKit's work for earlier runs has ended.
  func afterLaunchWork() -> Self {
    var kind = self
    kind.awaitsLaunchWork = true
    return kind
  }

  /// Brings the death about: on the calling thread, or on Swift's own threads while the calling thread waits.
  func callAsFunction() {
    switch trigger {
    case .synchronous(let body):
      body()
    case .asynchronous(let body):
      let done = DispatchSemaphore(value: 0)
      Task.detached {
        await body()
        done.signal()
      }
      done.wait()
    }
  }
}

extension CrashKind.Trigger {
  /// The same, once `preparation` is done.
  fileprivate func after(_ preparation: @escaping @Sendable () -> Void) -> Self {
    switch self {
    case .synchronous(let body):
      .synchronous {
        preparation()
        body()
      }
    case .asynchronous(let body):
      .asynchronous {
        preparation()
        await body()
      }
    }
  }
}

private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

private func runOnThread(_ body: @escaping @Sendable () -> Void) {
  let context = Unmanaged.passRetained(ThreadBody(body)).toOpaque()
  let error = crash_on_thread({ Unmanaged<ThreadBody>.fromOpaque($0!).takeRetainedValue().run() }, context)
  if error != 0 { printToStandardError("diagdemo: no thread could be started: error \(error)\n") }
}
