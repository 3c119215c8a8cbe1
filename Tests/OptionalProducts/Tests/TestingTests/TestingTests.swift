import CrashKit
import CrashKitTesting
import Foundation
import Testing
import XCTest

/// The context of the thread that asks for a report.
private struct Context: Decodable {
  var name: String
  var attributes: [String: String]

  static func current() throws -> Context? {
    struct Report: Decodable { var threads: [Thread] }
    struct Thread: Decodable {
      var capturedBy: String?
      var context: Context?
    }
    _ = try installation.get()
    guard let path = try CrashKit.capture("context") else { return nil }
    let report = try JSONDecoder().decode(Report.self, from: Data(contentsOf: URL(filePath: path)))
    return report.threads.first { $0.capturedBy == "caller" }?.context
  }

  private static let directory = FileManager.default.temporaryDirectory.appending(path: "contexts-\(getpid())")
  private static let installation = Result {
    atexit { try? FileManager.default.removeItem(at: Context.directory) }
    return try CrashKit.install(.init(directory: directory.path()))
  }
}

/// What contexts say of tests, by the trait of Swift Testing.
@Suite(.crashContext) struct TestingTests {
  @Test(arguments: [(1, "a"), (2, "b")]) func thePairIsNamed(_ pair: (Int, String)) throws {
    let context = try #require(try Context.current())
    #expect(context.name == "test TestingTests/thePairIsNamed(_:)")
    let arguments = try #require(context.attributes["test.arguments"])
    #expect(arguments.contains(String(pair.0)) && arguments.contains(pair.1), "\(arguments)")
  }

  @Test(arguments: [7], ["x"]) func bothArgumentsAreNamed(_ number: Int, _ text: String) async throws {
    await Task.yield()
    // A child has the test's context too.
    async let child = Context.current()
    let context = try #require(try await child)
    #expect(
      context.attributes == [
        "test.framework": "swiftTesting", "test.module": "TestingTests", "test.suite": "TestingTests",
        "test.name": "bothArgumentsAreNamed(_:_:)", "test.arguments": #"7, "x""#,
      ])
  }

  @Suite struct Inner {
    @Test func theSuitesAroundAreNamed() throws {
      let context = try #require(try Context.current())
      #expect(context.attributes["test.suite"] == "TestingTests/Inner" && context.attributes["test.arguments"] == nil)
    }
  }
}

@Suite struct WithoutTraitTests {
  @Test func thereIsNoContext() throws { #expect(try Context.current() == nil) }
}

/// The same, by the observer of XCTest.
final class XCTestingTests: XCTestCase {
  override class func setUp() {
    CrashKitTesting.observeXCTest()
    CrashKitTesting.observeXCTest()
  }

  func testTheMethodIsNamed() throws {
    let context = try XCTUnwrap(try Context.current())
    XCTAssertEqual(context.name, "test XCTestingTests/testTheMethodIsNamed")
    XCTAssertEqual(
      context.attributes,
      [
        "test.framework": "xctest", "test.module": "TestingTests", "test.suite": "XCTestingTests",
        "test.name": "testTheMethodIsNamed",
      ])
  }

  func testTheNextOneIsNamed() throws {
    XCTAssertEqual(try Context.current()?.attributes["test.name"], "testTheNextOneIsNamed")
  }
}
