import Foundation
import Testing

/// Where a crash's addresses lie, and what the process had open.
@Suite(.serialized) struct FaultPlaceTests {
  private struct Report: Decodable {
    struct Mapping: Decodable {
      var start: String
      var end: String
      var permissions: String
      var path: String?
    }
    struct Place: Decodable {
      var of: String
      var address: String
      var mapping: Mapping?
      var below: Mapping?
      var above: Mapping?
    }
    struct Fault: Decodable {
      var places: [Place]
      var leftStack: Mapping?
    }
    struct Descriptors: Decodable {
      var open: Int
      var limit: Int?
      var kinds: [String: Int]
    }
    var fault: Fault
    var descriptors: Descriptors
    var faultAddress: String?
  }

  private func report(_ name: String) throws -> Report {
    let run = try HandlerProbe(name)
    return try withExtendedLifetime(run) {
      try JSONDecoder().decode(Report.self, from: Data(contentsOf: #require(try run.reportFiles().first)))
    }
  }

  @Test func anAddressThatIsNotMappedHasItsNeighbours() throws {
    let report = try report("null-read")
    try #require(report.fault.places.map(\.of) == ["faultAddress", "programCounter", "stackPointer"])
    let (fault, counter, stack) = (report.fault.places[0], report.fault.places[1], report.fault.places[2])
    #expect(fault.address == report.faultAddress && fault.mapping == nil && fault.below == nil)
    #expect(try #require(fault.above).start > fault.address)
    #expect(counter.mapping?.permissions == "r-xp" && counter.mapping?.path?.hasSuffix("handler-probe") == true)
    let mapping = try #require(stack.mapping)
    #expect(mapping.start <= stack.address && stack.address < mapping.end)
    #expect(mapping.path == "[stack]" && stack.above == nil)
    #expect(report.fault.leftStack == nil)
  }

  @Test(arguments: ["stack-overflow", "on-coroutine", "on-hand-made-stack"])
  func aStackPointerMayBeOutsideOfItsStack(_ name: String) throws {
    let fault = try report(name).fault
    let stack = try #require(fault.leftStack)
    let address = try #require(fault.places.last?.address)
    #expect(address < stack.start || address >= stack.end)
  }

  @Test(arguments: ["raise-segv", "trap"]) func elsewhereItIsInside(_ name: String) throws {
    #expect(try report(name).fault.leftStack == nil)
  }

  /// Of the probe: standard input, output and error, and what CrashKit holds.
  @Test func descriptorsHaveTheirKinds() throws {
    let descriptors = try report("null-read").descriptors
    #expect(descriptors.kinds.values.reduce(0, +) == descriptors.open)
    let (pipes, files) = try (#require(descriptors.kinds["pipe"]), #require(descriptors.kinds["fileSystem"]))
    #expect(pipes >= 2 && files >= 1)
    let limit = try #require(descriptors.limit)
    #expect(limit >= descriptors.open)
  }
}
