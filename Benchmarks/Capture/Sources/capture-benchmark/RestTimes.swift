/// What CrashKit costs a program that does not crash.
struct RestTimes {
  private var install = CostSamples()
  private var least = CostSamples()
  private var threadWithout = Samples()
  private var threadWith = Samples()

  mutating func measure(_ programs: Programs) throws {
    // A folder for each: what dead processes left in it costs time too.
    try withFolder { folder in
      let environment = ["CRASHKIT_DIRECTORY": folder.path]
      install.append(try programs.numbers("capture-victim", ["install"], environment: environment, count: 2))
      least.append(try programs.numbers("bare-install", [folder.path], count: 2))
      threadWith.append(
        try programs.number("capture-victim", ["threads", "with", "5000"], environment: environment) / 1000)
    }
    threadWithout.append(try programs.number("capture-victim", ["threads", "without", "5000"]) / 1000)
  }

  var rows: [String] {
    [
      "| `CrashKit.install()`, once a process | \(install.columns) |",
      "| of these, what the loader and the kernel need for libunwind and a file | \(least.columns) |",
      "| a thread started and joined, without CrashKit | \(threadWithout.microseconds) | |",
      "| a thread started and joined, with CrashKit | \(threadWith.microseconds) | |",
    ]
  }
}

/// Measurements by the clock and of processor time.
private struct CostSamples {
  private var clock = Samples()
  private var processor = Samples()

  /// Nanoseconds by the clock, and of processor time.
  mutating func append(_ nanoseconds: [Double]) {
    clock.append(nanoseconds[0] / 1000)
    processor.append(nanoseconds[1] / 1000)
  }

  var columns: String { "\(clock.microseconds) | \(processor.microseconds)" }
}
