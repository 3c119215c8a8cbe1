import XCTest

/// As `Orders` of SwiftTestingCrashes.
final class OrderTests: XCTestCase {
  func testSync() { print("sync", price(of: missing())) }

  func testThrows() throws {
    print("throws", price(of: missing()))
    try XCTSkipIf(true)
  }

  func testAsync() async {
    await Task.yield()
    print("async", price(of: missing()))
  }

  func testAsyncThrows() async throws {
    try await Task.sleep(for: .milliseconds(1))
    print("async throws", price(of: missing()))
  }

  func testGroup() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { print("group", price(of: missing())) }
    }
    print("grouped")
  }

  func testDetached() async {
    await Task.detached { print("detached", price(of: missing())) }.value
    print("joined")
  }

  func testQueue() {
    let done = expectation(description: "done")
    DispatchQueue.global().async {
      print("queue", price(of: missing()))
      done.fulfill()
    }
    wait(for: [done], timeout: 600)
  }

  @MainActor func testOnMain() async {
    await Task.yield()
    print("main", price(of: missing()))
  }
}

final class SetUpTests: XCTestCase {
  override func setUp() {
    super.setUp()
    print("set up \(name)", price(of: missing()))
  }

  func testAfter() {}
}

@inline(never) private func price(of item: Int?) -> Int { item! }

/// Nothing, which an optimising compiler does not know: it would end each test here, and merge them.
@inline(never) private func missing() -> Int? { Int(ProcessInfo.processInfo.environment["NO_SUCH_ITEM"] ?? "") }
