import Dispatch
import Watcher

/// A window on its way into the background and back: it saves what it shows, and then puts its layout away.
final class Scene: Sendable {
  let layout: ScreenLayout
  let tasks: BackgroundTasks
  let saving: DispatchQueue
  let notify: @Sendable (Watcher.LifecycleNotification) -> Void
  private let clock: DispatchQueue

  /// - Parameters:
  ///   - clock: Where the system tells that a task's time is up.
  ///   - notify: Who is told of the way into the background and back: unless said, all managers of the process.
  init(
    _ name: String, layout: ScreenLayout, tasks: BackgroundTasks, clock: DispatchQueue,
    notify: @escaping @Sendable (Watcher.LifecycleNotification) -> Void = { Watcher.notify($0) }
  ) {
    self.layout = layout
    self.tasks = tasks
    self.clock = clock
    self.notify = notify
    saving = DispatchQueue(label: "\(name).saving")
  }

  /// Saves and collapses. `done` is called once, on the main queue, also if the time is up before everything is saved.
  func didEnterBackground(
    save: @escaping @Sendable () -> Void, expiresEarly: Bool,
    then done: @escaping @Sendable (BackgroundTasks.Ending) -> Void
  ) {
    notify(.didEnterBackground)
    let task = tasks.begin()
    saving.async {
      save()
      self.finish(task, .done, then: done)
    }
    if expiresEarly { clock.async { self.finish(task, .expired, then: done) } }
  }

  /// Lays out what is to be seen again.
  func willEnterForeground(rows: Int, then done: @escaping @Sendable () -> Void) {
    notify(.willEnterForeground)
    DispatchQueue.main.async {
      self.layout.expand(rows: rows)
      done()
    }
  }

  private func finish(
    _ task: BackgroundTasks.Identifier, _ ending: BackgroundTasks.Ending,
    then done: @escaping @Sendable (BackgroundTasks.Ending) -> Void
  ) {
    guard tasks.end(task) else { return }
    DispatchQueue.main.async {
      self.layout.collapse()
      done(ending)
    }
  }
}
