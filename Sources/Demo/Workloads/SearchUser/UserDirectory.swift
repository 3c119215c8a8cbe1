/// A user whom a search can find.
struct User: Sendable, Codable, Hashable {
  let number: Int
  let name: String
}

/// A service that finds users by the beginning of their names.
protocol UserDirectory: Sendable {
  /// - Throws: ``Offline`` if it cannot be reached.
  func users(matching text: String) async throws -> [User]
}

struct Offline: Error {}

/// A directory of made-up names. How long an answer takes, and whether it comes at all, follows from the seed and the text.
struct StubDirectory: UserDirectory {
  let users: [User]
  private let seed: UInt64
  private let slowest: Int
  private let clock: any Clock<Duration>

  /// - Parameters:
  ///   - slowest: The longest time that an answer takes, in milliseconds.
  ///   - clock: By which it takes its time.
  init(seed: UInt64, count: Int = 200, slowest: Int = 8, clock: any Clock<Duration> = ContinuousClock()) {
    var random = SeededGenerator(seed: seed)
    users = (1...count).map { User(number: $0, name: Self.name(&random)) }
    self.seed = seed
    self.slowest = slowest
    self.clock = clock
  }

  func users(matching text: String) async throws -> [User] {
    var random = SeededGenerator(seed: text.utf8.reduce(seed) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 })
    try await clock.sleep(for: .milliseconds(Int.random(in: 0...slowest, using: &random)))
    if Int.random(in: 0..<8, using: &random) == 0 { throw Offline() }
    return matches(text)
  }

  /// The right answer.
  func matches(_ text: String) -> [User] { users.filter { $0.name.hasPrefix(text) } }

  private static func name(_ random: inout SeededGenerator) -> String {
    (1...Int.random(in: 2...3, using: &random)).map { _ in
      String("bklmnrst".randomElement(using: &random)!) + String("aeiou".randomElement(using: &random)!)
    }.joined()
  }
}
