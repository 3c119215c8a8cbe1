import Foundation

/// What programs do all day, and what must go on undisturbed below the trap.
enum QuietWork {
  struct Reading: Codable, Equatable {
    var name: String
    var value: Double
    var at: Date
  }

  static func runAll() {
    formatting()
    coding()
    dates()
    mathematics()
    conversions()
  }

  private static func check(_ holds: Bool, _ what: String) { if !holds { say("wrong: \(what)") } }

  private static func formatting() {
    check(String(format: "%.3f %g %e", 1.5, 0.25, 1e300) == "1.500 0.25 1.000000e+300", "format")
    check("\(0.1 + 0.2) \(Float(3.25)) \(1e-300)" == "0.30000000000000004 3.25 1e-300", "description")
    check("\(Double.nan) \(-Double.infinity)" == "nan -inf", "description of NaN")
    check(Double("1e400") == .infinity && Double("nan")?.isNaN == true && Double("x") == nil, "parsing")
    let formatter = NumberFormatter()
    formatter.numberStyle = .decimal
    formatter.locale = Locale(identifier: "en_US")
    check(formatter.string(from: 1234.5) == "1,234.5", "NumberFormatter")
    check(12.5.formatted(.number.locale(Locale(identifier: "en_US"))) == "12.5", "formatted")
  }

  private static func coding() {
    let readings = (0..<50).map { Reading(name: "r\($0)", value: Double($0) / 7, at: Date(timeIntervalSince1970: 1e9)) }
    do {
      let data = try JSONEncoder().encode(readings)
      check(try JSONDecoder().decode([Reading].self, from: data) == readings, "JSON")
      let list = try PropertyListEncoder().encode(readings)
      check(try PropertyListDecoder().decode([Reading].self, from: list) == readings, "property list")
    } catch {
      say("wrong: \(error)")
    }
    check((try? JSONEncoder().encode([Double.nan])) == nil, "JSON has no NaN")
  }

  private static func dates() {
    let date = Date(timeIntervalSince1970: 1_700_000_000.25)
    let calendar = Calendar(identifier: .gregorian)
    check(calendar.date(byAdding: .day, value: 40, to: date)! > date, "calendar")
    check(!ISO8601DateFormatter().string(from: date).isEmpty, "ISO 8601")
    let formatter = DateFormatter()
    formatter.dateStyle = .full
    check(!formatter.string(from: date).isEmpty, "DateFormatter")
    check(Date.distantFuture > date && Date.distantPast < date, "distant dates")
    check(Date().timeIntervalSinceNow <= 0, "now")
  }

  private static func mathematics() {
    var sum = 0.0
    for value in stride(from: -700.0, through: 700, by: 0.37) {
      sum += sin(value) + cos(value) + tan(value) + atan(value) + exp(value / 10) + tanh(value) + cbrt(value)
      sum += atan2(value, 3) + hypot(value, 2) + fmod(value, 1.7) + remainder(value, 0.3) + floor(value) + ceil(value)
      sum += rint(value) + trunc(value) + round(value) + log1p(abs(value)) + sqrt(abs(value)) + pow(abs(value), 1.1)
      sum += erf(value) + expm1(value / 10) + asinh(value) + Double(lround(value)) + log2(abs(value) + 1)
    }
    check(sum.isFinite, "functions")
    check(sin(1e300).isFinite && exp(-2000.0) == 0 && exp(2000.0) == .infinity && atan(.infinity) > 1.5, "far numbers")
    check(fmax(Double.nan, 1.0) == 1 && fmin(1.0, Double.nan) == 1, "fmax of a NaN")
    let quiet = NaNScenarios.opaque(Double.nan)
    check(quiet.isNaN && !(quiet == NaNScenarios.opaque(quiet)) && !(quiet < 1), "quiet NaN")
    check((Double.nan + 1).isNaN && Double.nan.squareRoot().isNaN, "arithmetic on a quiet NaN")
  }

  private static func conversions() {
    check(Int(exactly: Double.nan) == nil, "conversion of a NaN")
    check(Int(exactly: NaNScenarios.opaque(1e300)) == nil && Int(exactly: 2.0) == 2, "exact conversion")
    check(Int(123.9) == 123 && UInt8(255.0) == 255, "conversion")
    check(Float(1e300) == .infinity && Double(Float(0.5)) == 0.5, "narrowing")
    check(Decimal(1.25).description == "1.25", "Decimal")
    check((0..<100).map { Double.random(in: 0..<Double($0 + 1)) }.allSatisfy { $0 >= 0 }, "random")
  }
}
