import CrashKit
import Foundation

/// What a throw costs that CrashKit keeps, beside a plain throw. Each pair is a process of its own without CrashKit's
/// hooks and one with them, and the pairs take turns, so that a disturbance of the machine falls on both.
///
///     swift run -c release throws          prints the table
///     swift run -c release throws HOW ROW  prints the nanoseconds of one throw; HOW is "plain" or "kept"
struct Failure: Error { var number: Int }
enum Refusal: Error { case late(Int) }

@inline(never) func fail(_ number: Int) throws -> Int {
  if number >= 0 { throw Failure(number: number) }
  return number
}
@inline(never) func refuse(_ number: Int) throws(Refusal) -> Int {
  if number >= 0 { throw .late(number) }
  return number
}
@inline(never) func deep(_ depth: Int) throws -> Int {
  if depth == 0 { return try fail(0) }
  return try deep(depth - 1) + 1
}

@main enum Throws {
  /// How many throws are timed at once: more than a thread may have callers for, or fewer with a pause before them.
  static let many = 20_000, few = 32

  static let rows = [
    "one after the other", "few, with their callers", "few, 30 calls deep", "typed, one after the other",
  ]

  static func run(_ row: String) -> Double {
    switch row {
    case rows[1]: return burst { for number in 0..<few { _ = try? fail(number) } }
    case rows[2]: return burst { for _ in 0..<few { _ = try? deep(30) } }
    case rows[3]: return time(many) { for number in 0..<many { _ = try? refuse(number) } }
    default: return time(many) { for number in 0..<many { _ = try? fail(number) } }
    }
  }

  /// The median of bursts that are far enough apart for each throw to have its callers.
  private static func burst(_ body: () -> Void) -> Double {
    median(
      (0..<21).map { _ in
        usleep(110_000)
        return time(few, body)
      })
  }

  private static func time(_ count: Int, _ body: () -> Void) -> Double {
    let clock = ContinuousClock()
    let spent = clock.measure(body)
    return Double(spent.components.attoseconds) / 1e9 / Double(count)
  }

  static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

  static func main() throws {
    let arguments = CommandLine.arguments
    if arguments.count == 3 {
      let folder = FileManager.default.temporaryDirectory.appending(path: "throws-\(UUID().uuidString)")
      try CrashKit.install(.init(directory: folder.path, keepsThrownErrors: arguments[1] == "kept"))
      defer { try? FileManager.default.removeItem(at: folder) }
      _ = run(rows[0])
      return print(run(arguments[2]))
    }
    print("| ns a throw, median of 11 pairs | plain | kept | difference |")
    print("| --- | --- | --- | --- |")
    for row in rows {
      var plain: [Double] = []
      var kept: [Double] = []
      for _ in 0..<11 {
        plain.append(try measure("plain", row))
        kept.append(try measure("kept", row))
      }
      let difference = median(zip(plain, kept).map { $1 - $0 })
      print(String(format: "| \(row) | %.0f | %.0f | %.0f |", median(plain), median(kept), difference))
    }
  }

  private static func measure(_ how: String, _ row: String) throws -> Double {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = [how, row]
    process.standardOutput = pipe
    try process.run()
    let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    return Double(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? .nan
  }
}
