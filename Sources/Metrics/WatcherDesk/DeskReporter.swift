import CrashReportModel
import CurlTransport
import Dispatch
import Glibc
import ReportSending
import Synchronization
import Watcher

extension Watcher {
  /// Pushes readings, events and statistics to a `crashsym desk`, which shows them live. If people set thresholds on
  /// the desk, the reporter sets these thresholds in the program's managers.
  ///
  /// The reporter works on its own queue and never blocks the program. While it cannot reach the desk, it tries again
  /// at growing intervals. At most 256 events wait for the desk; the oldest are dropped first. The reporter sends with
  /// libcurl, which it opens when needed, and follows no redirect. You may use a reporter from any thread.
  public final class DeskReporter: Sendable {
    /// The address, the token and the program's name.
    public struct Configuration: Sendable {
      /// The desk's address, such as `http://127.0.0.1:8017`.
      public var url: String
      /// A token of the desk: `env:NAME` or `file:PATH`. `nil` if the desk needs none.
      public var token: String?
      /// The program's name on the desk's pages.
      public var program: String
      /// Its version.
      public var version: String?
      /// The interval between two pushes in seconds, from 0.1 to 3600.
      public var refreshFrequency = 1.0

      /// Makes a configuration that pushes once a second.
      public init(url: String, token: String? = nil, program: String, version: String? = nil) {
        (self.url, self.token, self.program, self.version) = (url, token, program, version)
      }
    }

    /// Why the reporter cannot start, in one line.
    public struct ConfigurationError: Error, Sendable, CustomStringConvertible {
      /// The error.
      public let description: String
      /// Whether libcurl is missing.
      public var isMissingLibrary = false
    }

    private static let mostEvents = 256
    private static let longestPush = Duration.seconds(5)
    /// Seconds that the end waits for the last push.
    private static let longestEnd = 2
    private static let longestPause = 60.0

    private struct State {
      var events: [(number: Int, event: MetricThresholdEvent)] = []
      var lastNumber = 0
      var edit = 0
      var failures = 0
      var trouble: String?
      var isOver = false
    }

    private let url: String
    private let headers: [HTTPRequest.Header]
    private let facts: JSONObject
    private let refreshFrequency: Double
    private let managers: [any MetricManagerUseCase]
    private let statistics: StatisticsSource
    private let transport: CurlTransport
    private let queue = DispatchQueue(label: "watcher.desk", qos: .utility)
    private let state = Mutex(State())
    private let listener = Mutex<Task<Void, Never>?>(nil)

    /// Makes a reporter; ``start()`` begins to push.
    ///
    /// - Parameters:
    ///   - configuration: The address, the token and the program's name.
    ///   - events: The provider whose events are pushed from now on.
    ///   - managers: The managers whose readings are pushed, and whose thresholds people may set on the desk.
    ///   - statistics: Gathers the statistics that are pushed.
    /// - Throws: ``ConfigurationError``.
    public init(
      _ configuration: Configuration, events: EventProvider, managers: [any MetricManagerUseCase],
      statistics: StatisticsSource
    ) throws(ConfigurationError) {
      guard let address = WebAddress(configuration.url), address.user == nil else {
        throw ConfigurationError(
          description: "the desk's URL must begin with http:// or https:// and must not contain a user name")
      }
      headers = [.init("Content-Type", "application/json")] + (try Self.authorization(configuration))
      var options = CurlTransport.Options(client: "watcher")
      options.timeLimit = Self.longestPush
      guard let transport = CurlTransport(options) else {
        throw ConfigurationError(description: "libcurl is not installed", isMissingLibrary: true)
      }
      self.transport = transport
      var generator = SystemRandomNumberGenerator()
      let id = (0..<2).map { _ in Self.digits(UInt64.random(in: .min ... .max, using: &generator)) }.joined()
      url = address.appending("/api/live/\(id)").text
      let pace = configuration.refreshFrequency
      refreshFrequency = pace.isFinite ? min(max(pace, 0.1), 3600) : 1
      (self.managers, self.statistics) = (managers, statistics)
      var facts = JSONObject()
      facts["program"] = configuration.program.json
      facts["version"] = configuration.version?.json
      facts["host"] = Self.hostName?.json
      facts["process"] = Int(getpid()).json
      facts["refresh"] = refreshFrequency.json
      self.facts = facts
      listen(to: events)
    }

    deinit { listener.withLock { $0?.cancel() } }

    /// Pushes at once, and then at regular intervals. Call it once.
    public func start() { schedule(after: 0) }

    /// Reports the end of the program to the desk, and stops pushing. If the desk answered the last push, `stop` waits
    /// for the desk for at most 2 seconds. Otherwise it does not wait.
    @available(*, noasync, message: "it waits for the desk")
    public func stop() {
      listener.withLock { $0?.cancel() }
      let mayWait = state.withLock { state in
        defer { state.isOver = true }
        return !state.isOver && state.failures == 0
      }
      guard mayWait else { return }
      let end = DispatchSemaphore(value: 0)
      queue.async { [self] in
        push(hasEnded: true)
        end.signal()
      }
      _ = end.wait(timeout: .now() + .seconds(Self.longestEnd))
    }

    /// Why the last push failed, in one line; `nil` if it succeeded.
    public var trouble: String? { state.withLock { $0.trouble } }

    // MARK: Pushes

    private func listen(to events: EventProvider) {
      let events = events.events.makeAsyncIterator()
      let task = Task { [weak self] in
        var events = events
        while let event = await events.next() { self?.keep(event) }
      }
      listener.withLock { $0 = task }
    }

    private func keep(_ event: MetricThresholdEvent) {
      state.withLock { state in
        state.lastNumber += 1
        state.events.append((state.lastNumber, event))
        if state.events.count > Self.mostEvents { state.events.removeFirst() }
      }
    }

    private func schedule(after seconds: Double) {
      queue.asyncAfter(deadline: .now() + seconds) { [weak self] in
        guard let self, !state.withLock({ $0.isOver }) else { return }
        push(hasEnded: false)
        schedule(after: pause)
      }
    }

    /// Seconds until the next push.
    private var pause: Double {
      let failures = state.withLock { $0.failures }
      guard failures > 0 else { return refreshFrequency }
      return max(refreshFrequency, min(Self.longestPause, Double(1 << min(failures, 6))))
    }

    /// Runs on the queue alone.
    private func push(hasEnded: Bool) {
      let (events, edit) = state.withLock { ($0.events, $0.edit) }
      var push = DeskPush(facts)
      push.add(managers)
      push.add(events)
      push.add(statistics.now)
      if edit > 0 { push.object["edit"] = edit.json }
      if hasEnded { push.object["ended"] = true.json }
      let request = HTTPRequest(url: url, headers: headers, body: push.object.json.utf8)
      do throws(TransportFailure) {
        let response = try transport.send(request)
        guard response.status == 200, let answer = DeskPushAnswer(response.body) else {
          return fail("the desk answered \(response.status)")
        }
        obey(answer)
      } catch {
        fail(error.what)
      }
    }

    private func fail(_ reason: String) {
      state.withLock { state in
        state.failures += 1
        state.trouble = reason
      }
    }

    private func obey(_ answer: DeskPushAnswer) {
      let isNew = state.withLock { state in
        state.failures = 0
        state.trouble = nil
        state.events.removeAll { $0.number <= answer.events }
        guard let edit = answer.edit, edit > state.edit else { return false }
        state.edit = edit
        return true
      }
      guard isNew else { return }
      for (name, threshold) in answer.thresholds {
        managers.first { $0.metric.name == name }?.threshold = threshold
      }
    }

    // MARK: Facts

    private static func authorization(
      _ configuration: Configuration
    ) throws(ConfigurationError) -> [HTTPRequest.Header] {
      guard let place = configuration.token else { return [] }
      let settings = DestinationSettings(variable: { name in getenv(name).map { String(cString: $0) } })
      do throws(DestinationError) {
        let token = try SecretPlace(place).readHidden(settings, "token")
        return [.init("Authorization", "Bearer \(token)")]
      } catch {
        throw ConfigurationError(description: error.what)
      }
    }

    private static func digits(_ number: UInt64) -> String {
      let digits = String(number, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }

    private static var hostName: String? {
      var name = [CChar](repeating: 0, count: 256)
      guard gethostname(&name, name.count - 1) == 0 else { return nil }
      return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }
}
