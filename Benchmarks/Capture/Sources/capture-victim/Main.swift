// The program that the benchmarks look at. Each of its modes takes "with" or "without" CrashKit.
//
// capture-victim crash with|without THREADS   dies with that many threads, 45 frames each; writes the time (8 bytes,
//                                             CLOCK_MONOTONIC in ns) to standard output just before
// capture-victim together with|without COUNT  the same where that many threads crash at once, beside the main thread
// capture-victim install                      prints the nanoseconds that CrashKit.install() took, by the clock and of
//                                             processor time
// capture-victim threads with|without COUNT   prints the nanoseconds that starting and joining a thread took, on average

import CWaitingThreads
import CrashKit
import Glibc

/// With the frames of its callers and of libc, a stack of 45.
let depth: UInt32 = 40

func nanoseconds(_ clock: clockid_t = CLOCK_MONOTONIC) -> UInt64 {
  var time = timespec()
  clock_gettime(clock, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

func writeTime() {
  var now = nanoseconds()
  _ = write(STDOUT_FILENO, &now, MemoryLayout.size(ofValue: now))
}

func nanosecondsPerThread(count: Int) -> UInt64 {
  let start = nanoseconds()
  for _ in 0..<count {
    var thread = pthread_t()
    precondition(pthread_create(&thread, nil, { _ in nil }, nil) == 0)
    pthread_join(thread, nil)
  }
  return (nanoseconds() - start) / UInt64(count)
}

@main
struct Main {
  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.dropFirst().first == "with" { try CrashKit.install() }
    switch (arguments.first, arguments.last.flatMap(Int.init)) {
    case ("crash", let threads?):
      precondition(waiting_threads_start(UInt32(threads - 1), depth) == 0)
      waiting_threads_crash(depth, writeTime)
    case ("together", let count?):
      waiting_threads_crash_together(UInt32(count), depth, writeTime)
    case ("install", _):
      let start = nanoseconds()
      let busy = nanoseconds(CLOCK_THREAD_CPUTIME_ID)
      try CrashKit.install()
      let ended = nanoseconds()
      print(ended - start, nanoseconds(CLOCK_THREAD_CPUTIME_ID) - busy)
    case ("threads", let count?):
      print(nanosecondsPerThread(count: count))
    default:
      exit(64)
    }
  }
}
