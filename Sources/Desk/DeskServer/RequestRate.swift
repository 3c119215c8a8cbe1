#if Desk
  import Synchronization

  /// How often each project may send: a number of requests a minute, all of which may come at once.
  final class RequestRate: Sendable {
    private struct Account {
      var left: Double
      var time: ContinuousClock.Instant
    }

    private let perMinute: Double
    private let clock: @Sendable () -> ContinuousClock.Instant
    private let accounts = Mutex<[String: Account]>([:])

    /// `nil` sets no limit.
    init(perMinute: Int?, clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
      self.perMinute = perMinute.map(Double.init) ?? .infinity
      self.clock = clock
    }

    /// Counts one request of a project. All senders without a token are one project.
    ///
    /// - Throws: ``Refusal`` if it comes too early.
    func take(_ project: String?, now: ContinuousClock.Instant? = nil) throws {
      guard perMinute.isFinite else { return }
      let now = now ?? clock()
      let wait = accounts.withLock { accounts -> Double in
        var account = accounts[project ?? ""] ?? Account(left: perMinute, time: now)
        let passed = (now - account.time) / .seconds(60)
        account = Account(left: min(perMinute, account.left + passed * perMinute), time: now)
        defer { accounts[project ?? ""] = account }
        guard account.left < 1 else {
          account.left -= 1
          return 0
        }
        return (1 - account.left) * 60 / perMinute
      }
      guard wait > 0 else { return }
      throw Refusal(.tooMany, "more than \(Int(perMinute)) requests a minute", retryAfter: Int(wait.rounded(.up)))
    }
  }
#endif
