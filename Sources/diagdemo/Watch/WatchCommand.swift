import ArgumentParser
import CrashKit
import CrashReportModel
import Foundation
import LinuxCalls
import Logging
import StressRunner
import WatchView
import Watcher
import WatcherDesk
import WatcherJournal

/// `diagdemo watch`: the metrics of this machine and of this program, live.
struct WatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Watch the machine's metrics live, with thresholds, events and statistics.",
    discussion: """
      Keys: 1, 2, 3, Tab: open a tab. Up and down, or k and j: choose a metric, scroll. + and -: change the chosen \
      metric's threshold. n: show nominal events and notifications for them, or hide them. a: notifications on or \
      off. b: enter the background, in which sampling is ten times slower, or leave it. Ctrl-L: redraw. q: quit.

      If standard input or output is not a terminal, or TERM is dumb or missing, the command writes plain lines.

      Environment: TERM; NO_COLOR for no colours; LC_ALL, LC_CTYPE or LANG: gauges are ASCII unless the value ends in \
      UTF-8; CRASHKIT_DIRECTORY and CRASHKIT_OPTIONS.

      Exit status: 0 done; 64 usage; 65 the file of --journal is from a newer version, or is not a journal; 69 curl, \
      which --url needs, or libcurl, which --desk needs, is missing; 74 input/output. If a signal ends it, the status \
      is that of the signal.
      """)

  @Option(help: "Seconds between two samples, from 0.1 to 3600.")
  var refresh = 1.0

  @Option(help: "Request this URL with curl at the same pace, and watch its response time; may be repeated.")
  var url: [String] = []

  @Option(
    help: ArgumentHelp(
      "A metric's threshold, in its unit (a ratio is 0...1); may be repeated.", valueName: "metric=value"))
  var threshold: [String] = []

  @Option(
    help: ArgumentHelp(
      """
      Turn notifications on, and run this command with sh for each notification. It gets WATCH_METRIC, WATCH_STATE, \
      WATCH_VALUE, WATCH_UNIT, WATCH_THRESHOLD and WATCH_DATE in its environment.
      """, valueName: "command"))
  var notify: String?

  @Flag(help: "Turn notifications on, and ring the terminal's bell for each notification.")
  var bell = false

  @Flag(help: "At the start, hide nominal events and give no notifications for them.")
  var hideNominal = false

  @Option(help: ArgumentHelp("Keep events and thresholds in this SQLite file across runs.", valueName: "file"))
  var journal: String?

  @Option(
    help: ArgumentHelp(
      "Also send everything to this crashsym desk, which shows it, and use the thresholds that the desk sets.",
      valueName: "url"))
  var desk: String?

  @Option(help: ArgumentHelp("A token of the desk, from env:NAME or file:PATH.", valueName: "place"))
  var deskToken: String?

  @Flag(help: "Write plain lines, also on a terminal.")
  var plain = false

  @Option(help: ArgumentHelp("End after this number of seconds.", valueName: "seconds"))
  var duration: Double?

  func validate() throws {
    guard (0.1...3600).contains(refresh) else { throw ValidationError("--refresh takes 0.1 to 3600 seconds.") }
    if let duration, !(duration > 0 && duration <= 1e9) {
      throw ValidationError("--duration takes a number of seconds above 0, at most 1000000000.")
    }
    for url in url {
      let isKnown = url.hasPrefix("http://") || url.hasPrefix("https://")
      guard isKnown, url.unicodeScalars.allSatisfy({ (0x21...0x7e).contains($0.value) }) else {
        throw ValidationError("--url takes an address that begins with http:// or https://, without spaces.")
      }
    }
    guard Set(url).count == url.count else { throw ValidationError("--url names an address twice.") }
    guard journal != "" else { throw ValidationError("--journal takes the name of a file.") }
    guard journal?.withoutForeignBytes == journal else {
      throw ValidationError("--journal takes a name in UTF-8: SQLite opens no other name.")
    }
    guard desk != nil || deskToken == nil else { throw ValidationError("--desk-token needs --desk.") }
    guard !(bell && notify != nil) else { throw ValidationError("Choose --bell or --notify.") }
  }

  func run() throws {
    fillStandardDescriptors()
    // Before there are threads: they inherit what is blocked.
    let signals = SignalFile()
    let environment = ProcessVariables.own
    if !url.isEmpty && !ResponsePoller.isPossible(environment) {
      try fail(69, "curl, which --url needs, is missing")
    }
    try CrashKit.install(.init(application: .init(name: "diagdemo")))
    // What a provider has to say is on the screen.
    LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }

    var state = WatchState(notifies: bell || notify != nil, showsNominal: !hideNominal)
    state.pace = (refresh, refresh * 10)
    // Before anything is sampled: what came while it is opened would not be kept.
    let opened = try openJournal(&state)
    let poller = url.isEmpty ? nil : ResponsePoller(url, environment: environment)
    // Before there are thresholds: some samples are being taken already.
    let inbox = WatchInbox()
    let listener = inbox.listen(to: Watcher.eventProvider)
    defer { listener.cancel() }
    let metrics = WatchedMetrics(refreshFrequency: refresh, poller: poller, urls: url)
    let keeper = try failing {
      try opened.map { try Watcher.JournalKeeper($0, events: Watcher.eventProvider, managers: metrics.managers) }
    }
    try setThresholds(metrics)
    let statistics = Watcher.StatisticsSource(
      applicationName: "diagdemo", applicationVersion: Main.version, times: poller?.times)
    let reporter = try reporter(metrics, statistics)
    poller?.start(every: refresh)
    reporter?.start()

    let style = ViewStyle(environment: environment.values, timeOffset: TimeZone.current.secondsFromGMT())
    let terminal = plain ? nil : Terminal(environment: environment.values)
    let loop = WatchLoop(
      state, style: style,
      settings: .init(refreshFrequency: refresh, duration: duration, rings: bell), metrics: metrics, keeper: keeper,
      statistics: statistics, reporter: reporter, inbox: inbox, signals: signals,
      terminal: terminal, notifier: notify.map { Notifier(command: $0, environment: environment) })
    Watcher.notify(.didFinishLaunching)
    let end = loop.run()
    Watcher.notify(.willTerminate)
    reporter?.stop()
    keeper?.close()
    loop.sayWhatWasNotKept()
    if let end { signals.obey(end) }
    // A command of the user's may never end.
    signals.unblockEnds()
    loop.waitForCommands()
    if let reason = loop.outputFailure { try fail(74, "cannot write to standard output: \(reason)") }
  }

  private func openJournal(_ state: inout WatchState) throws -> Watcher.Journal? {
    guard let journal else { return nil }
    return try failing {
      let opened = try Watcher.Journal(path: journal)
      if let aside = opened.setAside {
        let news = "\(journal) was damaged; it was renamed to \(aside), and a new one was made"
        printToStandardError("diagdemo: \(news.harmless)\n")
      }
      state.recall(try opened.events(limit: WatchState.mostEvents))
      return opened
    }
  }

  private func reporter(
    _ metrics: WatchedMetrics, _ statistics: Watcher.StatisticsSource
  ) throws -> Watcher.DeskReporter? {
    guard let desk else { return nil }
    var settings = Watcher.DeskReporter.Configuration(
      url: desk, token: deskToken, program: "diagdemo", version: Main.version)
    settings.refreshFrequency = refresh
    do {
      return try Watcher.DeskReporter(
        settings, events: Watcher.eventProvider, managers: metrics.managers, statistics: statistics)
    } catch {
      try fail(error.isMissingLibrary ? 69 : 64, "--desk: \(error)")
    }
  }

  private func failing<Result>(_ work: () throws -> Result) throws -> Result {
    do {
      return try work()
    } catch let error as Watcher.Journal.JournalError {
      try fail(error.kind == .notOurs ? 65 : 74, "\(error)")
    }
  }

  private func setThresholds(_ metrics: WatchedMetrics) throws {
    for setting in threshold {
      let parts = setting.split(separator: "=", omittingEmptySubsequences: false)
      guard parts.count == 2, let value = Double(parts[1]), value.isFinite else {
        try fail(64, "--threshold takes METRIC=NUMBER, not '\(setting)'")
      }
      guard let manager = metrics.manager(String(parts[0])) else {
        let known = metrics.managers.map(\.metric.name).joined(separator: ", ")
        try fail(64, "there is no metric '\(parts[0])'; there are: \(known)")
      }
      // A user who means 80 % would wait for ever for 80.
      guard manager.metric.unit != .ratio || (0...1).contains(value) else {
        try fail(64, "the threshold of \(parts[0]) must be a ratio from 0 to 1, not \(parts[1]); 80 % is 0.8")
      }
      manager.threshold = value
    }
  }

  private func fail(_ status: Int32, _ reason: String) throws -> Never {
    printToStandardError("diagdemo: \(reason.harmless)\n")
    throw ExitCode(status)
  }
}
