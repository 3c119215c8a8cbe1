import ThreadGuard

/// The state of the loading, as the reader sees it.
enum LoadingState: Sendable, Equatable {
  case idle
  case loading
  /// An answer is late.
  case slow
  /// A connection was lost, and the client tries again.
  case reconnecting
  /// The last request failed.
  case failed
}

/// Counts what is under way. A value: who shares it brings a lock.
struct LoadingProgress: Sendable {
  var loading = 0
  var late = 0
  var retrying = 0
  var lastFailed = false

  var state: LoadingState {
    if retrying > 0 { return .reconnecting }
    if late > 0 { return .slow }
    if loading > 0 { return .loading }
    return lastFailed ? .failed : .idle
  }
}

/// The sign for it on the screen. For the main queue only.
final class LoadingIndicator: @unchecked Sendable {
  @ThreadGuard.OnMainQueue private(set) var state = LoadingState.idle

  func show(_ state: LoadingState) { self.state = state }
}
