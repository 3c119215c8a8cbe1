import Dispatch
import Synchronization
import Testing
import Watcher

@testable import Workloads

@Suite struct SceneTests {
  private let tasks = BackgroundTasks()
  private let clock = DispatchQueue(label: "clock")

  private let told = Told()

  /// In place of the process's managers, which other tests use.
  private final class Told: Sendable {
    let notifications = Mutex<[Watcher.LifecycleNotification]>([])
  }

  private func scene() -> Scene {
    Scene("scene", layout: ScreenLayout(rows: 5), tasks: tasks, clock: clock) { [told] notification in
      told.notifications.withLock { $0.append(notification) }
    }
  }

  @Test func aTaskEndsOnce() {
    let (one, other) = (tasks.begin(), tasks.begin())
    #expect(tasks.running == 2)
    #expect(tasks.end(one))
    #expect(!tasks.end(one))
    #expect(tasks.end(other))
    #expect(tasks.running == 0)
  }

  @Test func theLayoutIsPutAwayOnceEverythingIsSaved() async {
    let scene = scene()
    let ending = await withCheckedContinuation { done in
      scene.didEnterBackground(save: {}, expiresEarly: false) { done.resume(returning: $0) }
    }
    #expect(ending == .done)
    #expect(await onMain { scene.layout.geometry.height } == 0)
    #expect(tasks.running == 0)
    #expect(told.notifications.withLock { $0 } == [.didEnterBackground])
  }

  /// The time is up while it saves: the layout is collapsed then, and not a second time.
  @Test func theTimeMayRunOutBefore() async {
    let scene = scene()
    let isUp = DispatchSemaphore(value: 0)
    let ending = await withCheckedContinuation { done in
      scene.didEnterBackground(save: { isUp.wait() }, expiresEarly: true) { done.resume(returning: $0) }
    }
    #expect(ending == .expired)
    #expect(tasks.running == 0)
    await withCheckedContinuation { done in scene.willEnterForeground(rows: 3) { done.resume() } }
    #expect(told.notifications.withLock { $0 } == [.didEnterBackground, .willEnterForeground])
    isUp.signal()
    await on(scene.saving) {}
    #expect(await onMain { scene.layout.geometry } == .init(rows: 3, rowHeight: 44))
  }
}
