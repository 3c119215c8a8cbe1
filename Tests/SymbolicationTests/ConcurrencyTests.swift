import Foundation
import Testing

@testable import Symbolication

@Suite struct ConcurrencyTests {
  @Test func manyTasksGetTheSameAnswers() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("symbolication-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let programs = [try Fixture.c.build(in: folder), try Fixture.cxx.build(in: folder, as: "other")]
    let samples = try programs.map { try CodeAddresses.sample(of: $0, count: 200) }
    let symbolicator = Symbolicator()
    let answers = await withTaskGroup(of: (Int, [Lookup]).self) { group in
      for task in 0..<16 {
        group.addTask {
          let index = task % 2
          let image = ImageReference(name: "program", path: programs[index], baseAddress: 0)
          return (index, symbolicator.symbolicate(samples[index].map { ($0, .programCounter) }, in: image).lookups)
        }
      }
      return await group.reduce(into: [[[Lookup]]](repeating: [], count: 2)) { $0[$1.0].append($1.1) }
    }
    for (index, answers) in answers.enumerated() {
      let alone = try Answers(programs[index], at: samples[index]).lookups
      #expect(answers.count == 8)
      #expect(answers.allSatisfy { $0 == alone })
    }
  }
}
