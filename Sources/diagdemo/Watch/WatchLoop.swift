import Glibc
import WatchView
import Watcher
import WatcherDesk
import WatcherJournal

/// Carries news and keys to the state, the state to the terminal, and its effects to whom they concern.
final class WatchLoop {
  struct Settings {
    var refreshFrequency: Double
    /// Seconds after which it ends by itself; `nil` for never.
    var duration: Double?
    var rings: Bool
  }

  private var state: WatchState
  private let style: ViewStyle
  private let settings: Settings
  private let metrics: WatchedMetrics
  private let keeper: Watcher.JournalKeeper?
  private let statistics: Watcher.StatisticsSource
  private let reporter: Watcher.DeskReporter?
  private let signals: SignalFile
  private let terminal: Terminal?
  private let inbox: WatchInbox
  private var notifier: Notifier?
  private var decoder = KeyDecoder()
  private var plain = PlainOutput()
  private var isOver = false
  /// The signal that ended it.
  private var end: Int32?
  private var listeners: [Task<Void, Never>] = []

  private static let shortestFrame = 0.04

  init(
    _ state: WatchState, style: ViewStyle, settings: Settings, metrics: WatchedMetrics,
    keeper: Watcher.JournalKeeper?, statistics: Watcher.StatisticsSource,
    reporter: Watcher.DeskReporter?, inbox: WatchInbox, signals: SignalFile, terminal: Terminal?, notifier: Notifier?
  ) {
    self.state = state
    self.style = style
    self.settings = settings
    self.metrics = metrics
    self.keeper = keeper
    self.statistics = statistics
    self.reporter = reporter
    self.inbox = inbox
    self.signals = signals
    self.terminal = terminal
    self.notifier = notifier
  }

  /// Runs until a key, a signal or its time ends it. Returns the signal, which has still to be obeyed.
  func run() -> Int32? {
    listen()
    metrics.start()
    terminal?.take()
    let start = now
    var shown = -Double.infinity
    var isDue = true
    while !isOver && plain.failure == nil {
      let period = terminal == nil ? settings.refreshFrequency : Self.shortestFrame
      if isDue && now - shown >= period {
        show()
        (shown, isDue) = (now, terminal == nil)
      }
      var wait = isDue ? max(0, period - (now - shown)) : 60
      if decoder.isWaiting { wait = min(wait, 0.05) }
      if let duration = settings.duration {
        wait = min(wait, start + duration - now)
        if wait <= 0 { break }
      }
      if waitForNews(seconds: wait) { isDue = true }
    }
    terminal?.giveBack()
    for listener in listeners { listener.cancel() }
    return end
  }

  /// Why it ended before its time: what it had to say could not be written.
  var outputFailure: String? { plain.failure }

  private var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private func listen() {
    guard terminal != nil else { return }
    let inbox = inbox
    for manager in metrics.managers {
      let readings = manager.readings
      listeners.append(Task { for await _ in readings { inbox.wake() } })
    }
  }

  /// Whether there is anything new to show.
  private func waitForNews(seconds: Double) -> Bool {
    var files = [
      pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: inbox.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    if terminal != nil { files.append(pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)) }
    let count = poll(&files, nfds_t(files.count), Int32((seconds * 1000).rounded(.up)))
    if count <= 0 {
      if decoder.isWaiting { decoder.giveUpWaiting() }
      return false
    }
    for number in signals.read() { take(signal: number) }
    for event in inbox.take() {
      if terminal == nil { plain.write(PlainLines.event(event, style)) }
      for effect in state.receive(event) { carryOut(effect) }
    }
    if terminal != nil, files[2].revents != 0 { readKeys() }
    return true
  }

  private func readKeys() {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(STDIN_FILENO, &bytes, bytes.count)
    if count < 0 && (errno == EINTR || errno == EAGAIN) { return }
    // The terminal is gone.
    guard count > 0 else {
      isOver = true
      return
    }
    for key in decoder.keys(of: Array(bytes[..<count])) {
      for effect in state.handle(key) { carryOut(effect) }
    }
  }

  private func take(signal number: Int32) {
    switch number {
    case SIGTSTP:
      terminal?.giveBack()
      signals.obey(SIGTSTP)
      terminal?.take()
    case SIGCONT:
      // The program that stopped it may have left the terminal in another mode.
      if terminal?.isTaken == true { terminal?.take() }
    case SIGWINCH: terminal?.forget()
    case SIGCHLD: notifier?.reap()
    default:
      end = number
      isOver = true
    }
  }

  private func carryOut(_ effect: WatchState.Effect) {
    switch effect {
    case .setThreshold(let metric, let threshold): metrics.manager(metric.name)?.threshold = threshold
    case .enterBackground: Watcher.notify(.didEnterBackground)
    case .leaveBackground:
      Watcher.notify(.willEnterForeground)
      Watcher.notify(.didBecomeActive)
    case .notify(let event): tell(event)
    case .redraw: terminal?.forget()
    case .quit: isOver = true
    }
  }

  private func tell(_ event: Watcher.MetricThresholdEvent) {
    if notifier != nil {
      notifier?.tell(event)
    } else if let terminal {
      terminal.ring()
    } else if settings.rings {
      plain.ring()
    }
  }

  /// Lets commands that were started last end, however long they take.
  func waitForCommands() { notifier?.finish() }

  private var journalTrouble: String? { keeper?.trouble.map { "journal: \($0)" } }

  /// Says what went wrong since there is nothing to see any more.
  func sayWhatWasNotKept() { plain.tell(trouble: journalTrouble) }

  private func show() {
    state.rows = metrics.rows
    state.trouble = notifier?.trouble ?? journalTrouble ?? reporter?.trouble.map { "desk: \($0)" }
    guard let terminal else {
      plain.tell(trouble: state.trouble)
      return plain.write(state.rows, style)
    }
    state.statistics = statistics.now
    terminal.show(state.lines(terminal.size, style))
  }
}
