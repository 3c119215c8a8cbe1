/// A fact as lists have it.
struct FactSummary: Sendable, Codable, Equatable {
  let number: Int
  let title: String
}

/// One page of the list.
struct FactPage: Sendable, Codable, Equatable {
  let facts: [FactSummary]
  let lastPage: Int
}

/// A fact in full.
struct Fact: Sendable, Codable, Equatable {
  let number: Int
  let text: String
  let breed: Int
}

/// The breed that a fact is about.
struct Breed: Sendable, Codable, Equatable {
  let number: Int
  let name: String
}

/// What is shown of one fact.
struct FactDetails: Sendable, Equatable {
  let fact: Fact
  let breed: Breed
}

/// All facts: what a server of them serves.
struct FactCollection: Sendable {
  let count: Int
  let pageSize: Int

  static let breeds = ["Abyssinian", "Bengal", "Chartreux", "Devon Rex", "Korat", "Manx", "Siberian"]

  var lastPage: Int { max(1, (count + pageSize - 1) / pageSize) }

  /// `nil` if there is no such page.
  func page(_ number: Int) -> FactPage? {
    guard (1...lastPage).contains(number) else { return nil }
    let first = (number - 1) * pageSize + 1
    let facts = (first..<min(first + pageSize, count + 1)).map { FactSummary(number: $0, title: "Fact \($0)") }
    return FactPage(facts: facts, lastPage: lastPage)
  }

  func fact(_ number: Int) -> Fact? {
    guard (1...count).contains(number) else { return nil }
    let lives = 1 + number % 9
    return Fact(number: number, text: "A cat has \(lives) lives left.", breed: number % Self.breeds.count)
  }

  func breed(_ number: Int) -> Breed? {
    Self.breeds.indices.contains(number) ? Breed(number: number, name: Self.breeds[number]) : nil
  }
}
