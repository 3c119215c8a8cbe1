extension Watcher.MetricManager {
  /// Makes the manager sample more slowly while the program is in the background. Without this call, the manager takes
  /// no samples in the background.
  ///
  /// - Parameter seconds: The seconds between two samples in the background; by default ten times ``refreshFrequency``.
  public func enableBackgroundFetching(every seconds: Double? = nil) {
    state.withLock { state in
      let slow = seconds.flatMap { $0.isFinite ? $0 : nil } ?? state.refreshFrequency * 10
      state.backgroundFrequency = min(max(slow, Self.frequencies.lowerBound), Self.frequencies.upperBound)
    }
    keepPace()
  }

  /// Ends the effect of ``enableBackgroundFetching(every:)``: sampling pauses in the background again.
  public func disableBackgroundFetching() {
    state.withLock { $0.backgroundFrequency = nil }
    keepPace()
  }

  /// Follows the program into the background or out of it.
  func enter(_ pace: Pace) {
    state.withLock { $0.pace = pace }
    keepPace()
  }

  /// Lets the ticker tick as fast as it should now. The previous sample stays: a reset would make the next rate an
  /// average since the machine started.
  func keepPace() {
    pacing.withLock { _ in
      let (seconds, readAt) = state.withLock { ($0.pacedFrequency, $0.readAt) }
      guard let seconds else { return ticker.stop() }
      // At once where the last one is long ago, and else when it would have come.
      let age = readAt.map { Double(clockNanoseconds() - $0) / 1e9 } ?? seconds
      ticker.start(every: seconds, after: max(0, seconds - age)) { [weak self] in self?.tick() }
    }
  }
}

extension Watcher.MetricManager.State {
  /// Seconds between two samples; `nil` if it rests.
  fileprivate var pacedFrequency: Double? {
    guard isRunning else { return nil }
    return pace == .foreground ? refreshFrequency : backgroundFrequency
  }
}
