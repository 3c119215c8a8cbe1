import Glibc

/// The files of this process's control groups that tell its limits, where the usual mounts have them.
struct ControlGroupFiles {
  private(set) var processor: [String] = []
  private(set) var memory: [String] = []

  init() {
    guard let file = fopen("/proc/self/cgroup", "r") else { return }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 4096)
    while fgets(&line, Int32(line.count), file) != nil {
      let text = String(decoding: line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 3 else { continue }
      let controllers = parts[1].split(separator: ",")
      let top = parts[1].isEmpty ? "/sys/fs/cgroup" : "/sys/fs/cgroup/\(parts[1])"
      let isAll = parts[1].isEmpty && processor.isEmpty && memory.isEmpty
      if isAll { processor += existing(["cpu.stat"], [top + parts[2]]) }
      if isAll || controllers.contains("cpu") {
        processor += existing(["cpu.max", "cpu.cfs_quota_us"], folders(parts[2], top))
      }
      if controllers.contains("cpuacct") { processor += existing(["cpuacct.usage"], [top + parts[2]]) }
      if isAll || controllers.contains("memory") {
        memory += existing(["memory.max", "memory.limit_in_bytes"], folders(parts[2], top))
      }
    }
  }

  private func folders(_ path: String, _ top: String) -> [String] {
    let names = path.split(separator: "/")
    return (0...names.count).reversed().map { top + names.prefix($0).map { "/" + $0 }.joined() }
  }

  private func existing(_ names: [String], _ folders: [String]) -> [String] {
    folders.flatMap { folder in names.map { "\(folder)/\($0)" } }.filter { access($0, R_OK) == 0 }
  }
}
