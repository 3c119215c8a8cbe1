import ThreadGuard

extension Scene {
  static let collapsesWhereItSaved = Place(below: 6)

  func didEnterBackgroundAndCollapseAtOnce(then done: @escaping @Sendable () -> Void) {
    notify(.didEnterBackground)
    saving.async {
      // The mistake: this is still the queue for saving.
      self.layout.collapse()
      done()
    }
  }
}

/// As ``BackgroundTasks``, for a program that believes that it enters the background on one thread only.
final class CountedTasks: @unchecked Sendable {
  static let counts = Place(below: 6)

  @ThreadGuard.GuardedValue private(set) var running = 0

  private func change(by number: Int) {
    // The mistake: scenes begin and end on several threads.
    _running.write { $0 += number }
  }

  func begin() { change(by: 1) }
  func end() { change(by: -1) }
}
