import Testing
import Workloads

@testable import StressRunner

@Suite struct SettingsTests {
  private struct First: Workload {
    static let name = "first"
    static let summary = "the first"
    static let variants = [Sample.correct, Sample.faulty]
    func run(_ variant: Variant, in context: WorkloadContext) async throws {}
  }

  private struct Second: Workload {
    static let name = "second"
    static let summary = "the second"
    static let variants = [Sample.correct]
    func run(_ variant: Variant, in context: WorkloadContext) async throws {}
  }

  private func names(_ settings: StressSettings) throws -> [String] {
    try settings.cases(of: [First.self, Second.self]).map(\.name)
  }

  @Test func variantsAreChosen() throws {
    #expect(try names(.init(seed: 1)) == ["first/correct", "first/faulty", "second/correct"])
    #expect(try names(.init(variants: .correct, seed: 1)) == ["first/correct", "second/correct"])
    #expect(try names(.init(workloads: ["first"], variants: .init("faulty"), seed: 1)) == ["first/faulty"])
    #expect(try names(.init(workloads: ["second", "first"], variants: .init("all"), seed: 1)).count == 3)
  }

  @Test func anUnknownNameIsRefusedWithAListOfNames() {
    let unknown = #expect(throws: StressFailure.self) { try names(.init(workloads: ["third"], seed: 1)) }
    #expect(unknown == .usage("there is no workload 'third'; the workloads are first, second"))
    let variant = #expect(throws: StressFailure.self) { try names(.init(variants: .named("fast"), seed: 1)) }
    #expect(variant?.what == "no variant 'fast'; the variants are first: correct, faulty; second: correct")
    #expect(variant?.status == 64)
  }

  @Test func namesThatAreTypedCannotDriveATerminal() {
    let unknown = #expect(throws: StressFailure.self) { try names(.init(workloads: ["a\n\u{1B}[2J\u{9B}é"], seed: 1)) }
    #expect(unknown?.line == "there is no workload 'a\\n\\u{1B}[2J\\u{9B}é'; the workloads are first, second")
  }

  @Test func fewDescriptorsMeanFewJobsOrNone() {
    #expect(throws: Never.self) { try Descriptors.check(allowed: 64) }
    let refusal = #expect(throws: StressFailure.self) { try Descriptors.check(allowed: 63) }
    #expect(refusal?.status == 69 && refusal?.what.contains("may open only 63") == true)
    #expect(Descriptors.jobs(allowed: 64) == 8)
    #expect(Descriptors.jobs(allowed: 1024) >= 64)
  }

  @Test(arguments: [0, -1, 0.01, 3601, 1e300, .infinity, .nan])
  func absurdDurationIsRefused(_ duration: Double) {
    #expect(throws: StressFailure.self) { try names(.init(seed: 1, duration: duration)) }
  }

  @Test(arguments: [0, -3, 257])
  func absurdNumberOfThreadsIsRefused(_ threads: Int) {
    #expect(throws: StressFailure.self) { try names(.init(seed: 1, threads: threads)) }
  }

  /// What is in the catalogue keeps to what the runner and its users rely on.
  @Test func theCatalogueIsConsistent() {
    let names = Catalogue.workloads.map { $0.name }
    #expect(Set(names).count == names.count && names.count > 3)
    for workload in Catalogue.workloads {
      let variants = workload.variants
      #expect(variants.first?.name == "correct" && variants.first?.isCorrect == true, "\(workload.name)")
      #expect(variants.dropFirst().allSatisfy { !$0.isCorrect }, "\(workload.name)")
      #expect(Set(variants.map { $0.name }).count == variants.count && variants.count > 1, "\(workload.name)")
      for variant in variants.dropFirst() {
        #expect(!["all", "faulty"].contains(variant.name))
        #expect(variant.planted.allSatisfy { !$0.places.isEmpty }, "\(workload.name)/\(variant.name)")
      }
    }
  }
}
