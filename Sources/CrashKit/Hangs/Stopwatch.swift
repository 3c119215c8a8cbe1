import Glibc

/// Tells a wait that was as long as it was meant to be from one in which the process did not run.
struct Stopwatch {
  private let monotonic = now()
  private let withSleep = now(CLOCK_BOOTTIME)

  /// The time for which this thread, and so the process, was stopped, suspended with the machine, or had no processor.
  /// CLOCK_MONOTONIC does not count the machine's sleep.
  func time(lostBeyond expected: UInt64, tolerance: UInt64) -> UInt64 {
    let took = now() - monotonic
    let slept = now(CLOCK_BOOTTIME) - withSleep > took + 50_000_000
    if took > expected + tolerance { return took - expected }
    return slept ? 1 : 0
  }
}
