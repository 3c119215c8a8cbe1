import Glibc

/// Checks how many file descriptors this process may have open.
public enum Descriptors {
  /// With fewer, some variants could not do their work: servers and clients on loopback have the most.
  static let least = 64
  /// What the process itself has open, some of it in passing.
  private static let own = 16
  /// What a variant that runs has open here: its process, two pipes' ends, a watch, files that are read.
  private static let ofJob = 6

  /// How many there may be: `ulimit -n`.
  static var limit: Int {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return Int(clamping: limit.rlim_cur)
  }

  /// How many variants may run at once with this many descriptors.
  static func jobs(allowed: Int) -> Int { max(1, (allowed - own) / ofJob) }

  static func check(allowed: Int = limit) throws(StressFailure) {
    guard allowed >= least else {
      throw .unavailable("\(least) descriptors are needed, but this process may open only \(allowed): see ulimit -n")
    }
  }
}
