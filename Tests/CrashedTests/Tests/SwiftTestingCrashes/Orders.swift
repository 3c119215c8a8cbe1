import Foundation
import Testing

/// No test of these ends: each crashes in another way, and has words of its own so that the linker merges none.
@Suite struct Orders {
  @Test func sync() { print("sync", price(of: missing())) }

  @Test func async() async {
    await Task.yield()
    print("async", price(of: missing()))
  }

  @Test func hops() async {
    await MainActor.run { print("hop") }
    await helper()
    print("hopped")
  }

  private func helper() async {
    await Task.yield()
    print("helper", price(of: missing()))
  }

  @Test func group() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        await Task.yield()
        print("group", price(of: missing()))
      }
    }
    print("grouped")
  }

  @Test func detached() async {
    await Task.detached {
      await Task.yield()
      print("detached", price(of: missing()))
    }.value
    print("joined")
  }

  @Test func queue() async {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        print("queue", price(of: missing()))
        continuation.resume()
      }
    }
    print("queued")
  }

  @MainActor @Test func onMain() { print("main", price(of: missing())) }

  @Test("A name for people") func named() { print("named", price(of: missing())) }

  @Test(arguments: [1, 2, 3], ["a", "b"]) func pairs(_ number: Int, _ letter: String) async throws {
    await allPairs.arrive()
    if number == 2, letter == "b" { print("pairs", price(of: missing())) }
    try await Task.sleep(for: .seconds(600))
  }

  @Suite struct Refunds {
    @Test func throwing() async throws {
      try await Task.sleep(for: .milliseconds(1))
      print("throwing", price(of: missing()))
    }
  }

  /// Runs with `Others`.
  @Test func parallel() async {
    await parallelTests.arrive()
    print("parallel", price(of: missing()))
  }
}

@Suite struct Others {
  @Test func first() async throws {
    await parallelTests.arrive()
    try await Task.sleep(for: .seconds(600))
  }

  @Test func second() async throws {
    await parallelTests.arrive()
    try await Task.sleep(for: .seconds(601))
  }
}

@Test func free() { print("free", price(of: missing())) }

@inline(never) private func price(of item: Int?) -> Int { item! }

/// Nothing, which an optimising compiler does not know: it would end each test here, and merge them.
@inline(never) private func missing() -> Int? { Int(ProcessInfo.processInfo.environment["NO_SUCH_ITEM"] ?? "") }

private let allPairs = Meeting(of: 6)
private let parallelTests = Meeting(of: 3)

/// Lets nobody go on before all are there.
private actor Meeting {
  private var missing: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(of count: Int) { missing = count }

  func arrive() async {
    missing -= 1
    if missing > 0 { return await withCheckedContinuation { waiting.append($0) } }
    for continuation in waiting { continuation.resume() }
  }
}
