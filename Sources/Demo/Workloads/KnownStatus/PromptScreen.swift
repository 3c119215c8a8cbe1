import ThreadGuard

/// What of the prompt is on the screen. For the main queue only.
final class PromptScreen: @unchecked Sendable {
  @ThreadGuard.OnMainQueue private(set) var isShown = false
  @ThreadGuard.OnMainQueue private(set) var timesShown = 0

  func present() {
    isShown = true
    timesShown += 1
  }

  func dismiss() { isShown = false }
}
