import Testing
import Workloads

@testable import StressRunner

@Suite struct JudgementTests {
  private func judge(_ variant: Variant, _ reports: [FoundReport], end: VariantEnd = .finished) -> Judgement {
    Judgement(Sample.record(variant, reports, end: end))
  }

  // MARK: Correct variants

  @Test func correctVariantPassesWithNothingReported() {
    #expect(judge(Sample.correct, [Sample.lastState()]).passed)
  }

  @Test func anyReportFailsACorrectVariant() {
    let judgement = judge(Sample.correct, [Sample.violation(.lockMisuse, []), Sample.lastState()])
    #expect(judgement.problems == ["lockMisuse/code was reported, but no report was expected"])
    #expect(judgement.extras.count == 1)
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func metricThatIsNotFiniteFailsACorrectVariant(_ value: Double) {
    #expect(judge(Sample.correct, [Sample.lastState(load: value)]).problems == ["the metric cpu.load is \(value)"])
  }

  @Test func correctVariantThatLeftNoLastStateFails() {
    #expect(judge(Sample.correct, []).problems == ["the process wrote no report of its last state"])
  }

  @Test(arguments: [
    VariantEnd.exited(70), .killed(signal: 11), .outOfTime, .interrupted, .endedOnceFound, .notStarted("no memory"),
  ])
  func anotherEndFailsACorrectVariant(_ end: VariantEnd) {
    #expect(!judge(Sample.correct, [Sample.lastState()], end: end).passed)
  }

  // MARK: What was planted

  @Test func plantIsFoundByKindAndLine() throws {
    let report = Sample.violation(.nan, [[Sample.frame(Sample.otherPlace), Sample.frame(Sample.place)]])
    let judgement = judge(Sample.faulty, [report])
    #expect(judgement.passed)
    #expect(judgement.finds.first?.found?.path == report.path)
    #expect(judgement.extras.isEmpty)
  }

  @Test func inlinedCallsCount() {
    #expect(judge(Sample.faulty, [Sample.violation(.nan, [[Sample.frame(Sample.place, inlined: true)]])]).passed)
  }

  @Test func missingPlantFails() {
    #expect(judge(Sample.faulty, []).problems == ["no nan was reported at Gauge.swift:21"])
  }

  @Test func wrongLineFails() {
    let report = Sample.violation(.nan, [[Sample.frame(Sample.otherPlace)]])
    #expect(
      judge(Sample.faulty, [report]).problems == [
        "no nan was reported at Gauge.swift:21; reports of that kind: 1; the best match does not name Gauge.swift:21"
      ])
  }

  @Test func lineThatIsOnlyNearFails() {
    #expect(!judge(Sample.faulty, [Sample.violation(.nan, [[Sample.frame(Sample.place, approximate: true)]])]).passed)
  }

  @Test func anotherKindFails() {
    let judgement = judge(Sample.faulty, [Sample.violation(.dataRace, [[Sample.frame(Sample.place)]])])
    #expect(!judgement.passed)
    #expect(judgement.extras.count == 1)
  }

  @Test func allPlacesMustBeInOneReport() {
    let race = Variant("race", "", planted: [Plant("dataRace", at: [Sample.place, Sample.otherPlace])])
    let (one, other) = ([Sample.frame(Sample.place)], [Sample.frame(Sample.otherPlace)])
    #expect(!judge(race, [Sample.violation(.dataRace, [one]), Sample.violation(.dataRace, [other])]).passed)
    #expect(judge(race, [Sample.violation(.dataRace, [one, other])]).passed)
  }

  @Test func furtherFindingsOfAFaultyVariantAreNamedAndFailNothing() {
    let further = Sample.violation(.lockMisuse, [])
    let judgement = judge(Sample.faulty, [Sample.violation(.nan, [[Sample.frame(Sample.place)]]), further])
    #expect(judgement.passed)
    #expect(judgement.extras.map(\.rule) == ["lockMisuse/code"])
  }

  // MARK: The end

  @Test func deathMustBeByItsSignalWithACrashReport() {
    let plant = Plant("crashReport", at: [Sample.place])
    let deadly = Variant("deadly", "", planted: [plant], ending: .diesBy(signals: [4, 5]))
    let crash = Sample.crash(4, at: Sample.place)
    #expect(judge(deadly, [crash], end: .killed(signal: 4)).passed)
    #expect(!judge(deadly, [crash], end: .killed(signal: 5)).passed)
    #expect(!judge(deadly, [Sample.crash(11, at: Sample.place)], end: .killed(signal: 11)).passed)
    #expect(!judge(deadly, [], end: .killed(signal: 4)).passed)
    #expect(!judge(deadly, [crash], end: .finished).passed)
  }

  @Test func hangMustBeEndedByForce() {
    let hanging = Variant("hanging", "", planted: Sample.faulty.planted, ending: .hangs)
    let report = Sample.violation(.nan, [[Sample.frame(Sample.place)]])
    #expect(judge(hanging, [report], end: .endedOnceFound).passed)
    #expect(judge(hanging, [report], end: .finished).problems == ["it should hang, but ended with status 0"])
    #expect(judge(hanging, [], end: .outOfTime).problems.count == 2)
  }
}
