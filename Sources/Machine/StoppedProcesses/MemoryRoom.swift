import LinuxCalls

/// How much memory a copy may take: a full machine or container would kill programs, and perhaps the one that is looked at.
enum MemoryRoom {
  /// However much there is.
  static let most = 1 << 30

  /// At most a quarter of what is free on the machine, and in each control group of this process.
  static var bytes: Int {
    let free = [freeOnMachine] + groups.map(free(in:))
    return min(most, (free.compactMap { $0 }.min() ?? most) / 4)
  }

  private static var freeOnMachine: Int? {
    let line = lines("/proc/meminfo").first { $0.hasPrefix("MemAvailable:") }
    return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 << 10 }
  }

  /// The folders of this process's control groups, and of those around them. In a container, the path may be the host's.
  private static var groups: [String] {
    lines("/proc/self/cgroup").flatMap { line -> [String] in
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3, fields[1].isEmpty || fields[1].split(separator: ",").contains("memory")
      else { return [] }
      let root = fields[1].isEmpty ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory"
      let names = fields[2].split(separator: "/")
      return (0...names.count).map { ([root] + names.prefix($0).map(String.init)).joined(separator: "/") }
    }
  }

  private static func free(in group: String) -> Int? {
    for (limit, used) in [("max", "current"), ("limit_in_bytes", "usage_in_bytes")] {
      if let limit = number("\(group)/memory.\(limit)"), let used = number("\(group)/memory.\(used)") {
        return max(limit - used, 0)
      }
    }
    return nil
  }

  private static func number(_ path: String) -> Int? { lines(path).first.flatMap { Int($0) } }

  private static func lines(_ path: String) -> [String] {
    (KernelFile.read(path) ?? []).split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
  }
}
