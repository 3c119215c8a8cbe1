import Glibc

func nanoseconds(_ clock: clockid_t) -> Double {
  var now = timespec()
  clock_gettime(clock, &now)
  return Double(now.tv_sec) * 1e9 + Double(now.tv_nsec)
}

/// Processor nanoseconds of this process that a call costs: the best of several rounds, since the machine is not ours alone.
func cost(rounds: Int, calls: Int, _ body: () -> Void) -> Double {
  var best = Double.infinity
  for _ in 0..<rounds {
    let start = nanoseconds(CLOCK_PROCESS_CPUTIME_ID)
    for _ in 0..<calls { body() }
    best = min(best, (nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - start) / Double(calls))
  }
  return best
}

/// Processor nanoseconds that a call costs after a rest, as a tick comes after one: the median of many.
func costAfterRest(rounds: Int, _ body: () -> Void) -> Double {
  var costs: [Double] = []
  for _ in 0..<rounds {
    usleep(6000)
    let start = nanoseconds(CLOCK_PROCESS_CPUTIME_ID)
    body()
    costs.append(nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - start)
  }
  return costs.sorted()[costs.count / 2]
}

/// Opens, reads and closes a file: what every program that looks at it has to do.
func readFile(_ path: String, _ buffer: UnsafeMutableRawBufferPointer) {
  let file = open(path, O_RDONLY | O_CLOEXEC)
  guard file >= 0 else { return }
  while read(file, buffer.baseAddress, buffer.count) > 0 {}
  close(file)
}

/// What of this process is in memory, in bytes.
func residentBytes() -> Double {
  guard let file = fopen("/proc/self/statm", "r") else { return 0 }
  defer { fclose(file) }
  var line = [CChar](repeating: 0, count: 128)
  fgets(&line, Int32(line.count), file)
  let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  let words = text.split(separator: " ")
  return words.count > 1 ? (Double(words[1]) ?? 0) * Double(sysconf(Int32(_SC_PAGESIZE))) : 0
}

func tenths(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
func thousandths(_ value: Double) -> String { "\((value * 1000).rounded() / 1000)" }
