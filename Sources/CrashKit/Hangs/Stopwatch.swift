import Glibc

/// Separates a wait of the intended length from a wait in which the process did not run.
struct Stopwatch {
  private let monotonic = now()
  private let withSleep = now(CLOCK_BOOTTIME)

  /// How long it took, and whether the machine slept meanwhile: CLOCK_MONOTONIC does not count that.
  struct Reading {
    fileprivate let took: UInt64
    fileprivate let slept: Bool

    /// The time for which this thread, and so the process, was stopped, suspended with the machine, or had no processor.
    func time(lostBeyond expected: UInt64, tolerance: UInt64) -> UInt64 {
      if took > expected + tolerance { return took - expected }
      return slept ? 1 : 0
    }
  }

  var reading: Reading {
    let took = now() - monotonic
    return Reading(took: took, slept: now(CLOCK_BOOTTIME) - withSleep > took + 50_000_000)
  }
}
