/// How a server treats a request.
enum Treatment: Sendable, Equatable {
  case answersAtOnce
  case answersAfter(Duration)
  case losesConnection
}

/// Decides how each request is treated: by the seed, the path, and how often that was asked for before.
struct ServerTemper: Sendable {
  let seed: UInt64
  /// One request in so many is answered late.
  var slow = 10
  /// One request in so many loses its connection.
  var lost = 10

  func treatment(of path: String, attempt: Int) -> Treatment {
    let mixed = path.utf8.reduce(seed &+ UInt64(attempt)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
    var random = SeededGenerator(seed: mixed)
    if Int.random(in: 0..<lost, using: &random) == 0 { return .losesConnection }
    guard Int.random(in: 0..<slow, using: &random) == 0 else { return .answersAtOnce }
    return .answersAfter(.milliseconds(Int.random(in: 8...20, using: &random)))
  }
}
