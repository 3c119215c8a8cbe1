import CrashReportModel
import Testing

struct FiguresTests {
  private enum Unit: String { case ratio, bytes, bytesPerSecond, seconds, count }

  @Test func showsNumbersWithTheirUnits() {
    #expect(Figures.text(0.4256, Unit.ratio) == "42.6 %")
    #expect(Figures.text(999, Unit.bytes) == "999 B" && Figures.text(2_500_000, Unit.bytesPerSecond) == "2.5 MB/s")
    #expect(Figures.text(-2000, Unit.bytes) == "-2.0 kB" && Figures.text(.nan, Unit.bytes) == "nan B")
    #expect(Figures.text(0.0123, Unit.seconds) == "12.3 ms" && Figures.text(2, Unit.seconds) == "2.0 s")
    #expect(Figures.text(-2, Unit.seconds) == "-2.0 s")
    #expect(Figures.text(-0.25, Unit.count) == "-0.3" && Figures.text(1e300, Unit.count) == "1e+300")
  }
}
