extension Watcher {
  /// The control group that a process lies in, by version (cgroups(7)).
  struct ControlGroup {
    enum Version { case one, two }

    private let root: SystemRoot
    /// The folders of the groups from this process's own up to the top, per controller.
    private let folders: [String: (version: Version, groups: [String])]

    /// Finds the groups of the calling process. There are none where the kernel or the container has none.
    init(_ root: SystemRoot) {
      self.root = root
      var folders: [String: (version: Version, groups: [String])] = [:]
      let mounts = Mount.all(root)
      for line in (try? root.text("/proc/self/cgroup"))?.split(separator: "\n") ?? [] {
        let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { continue }
        if parts[1].isEmpty {
          guard let mount = mounts.first(where: { $0.type == "cgroup2" }) else { continue }
          for controller in ["cpu", "memory"] where folders[controller] == nil {
            folders[controller] = (.two, Self.groups(String(parts[2]), in: mount))
          }
        } else {
          for controller in parts[1].split(separator: ",").map(String.init) {
            guard let mount = mounts.first(where: { $0.type == "cgroup" && $0.options.contains(controller) })
            else { continue }
            folders[controller] = (.one, Self.groups(String(parts[2]), in: mount))
          }
        }
      }
      self.folders = folders
    }

    /// The version of the group that has a controller; `nil` where there is none.
    func version(of controller: String) -> Version? { folders[controller]?.version }

    /// A file of the process's own group, without the white space around it; `nil` where there is none.
    func line(_ controller: String, _ file: String) throws(Unavailability) -> Substring? {
      guard let folder = folders[controller]?.groups.first else { return nil }
      return try root.line("\(folder)/\(file)")
    }

    /// The same file of every group from the process's own up to the top, where it exists: limits hold all the way up.
    func lines(_ controller: String, _ file: String) throws(Unavailability) -> [Substring] {
      var lines: [Substring] = []
      for folder in folders[controller]?.groups ?? [] {
        if let line = try root.line("\(folder)/\(file)") { lines.append(line) }
      }
      return lines
    }

    /// Two files of each group that has both, from the process's own group up to the top.
    func pairs(_ controller: String, _ one: String, _ other: String) throws(Unavailability) -> [(Substring, Substring)]
    {
      var pairs: [(Substring, Substring)] = []
      for folder in folders[controller]?.groups ?? [] {
        guard let first = try root.line("\(folder)/\(one)"), let second = try root.line("\(folder)/\(other)") else {
          continue
        }
        pairs.append((first, second))
      }
      return pairs
    }

    /// Inside a container the path is often that of the host, while only what is below the container's own group is
    /// mounted: what the mount has for a root is taken off.
    private static func groups(_ path: String, in mount: Mount) -> [String] {
      var below = path
      if mount.root != "/", below == mount.root || below.hasPrefix(mount.root + "/") {
        below.removeFirst(mount.root.count)
      }
      var groups: [String] = []
      var names = below.split(separator: "/").map(String.init)
      if names.contains("..") { names = [] }
      while true {
        groups.append(names.isEmpty ? mount.point : mount.point + "/" + names.joined(separator: "/"))
        if names.isEmpty { return groups }
        names.removeLast()
      }
    }
  }

  /// A line of `/proc/self/mountinfo` (proc(5)).
  struct Mount {
    let root, point, type: String
    let options: Set<String>

    static func all(_ root: SystemRoot) -> [Mount] {
      guard let text = try? root.text("/proc/self/mountinfo") else { return [] }
      return text.split(separator: "\n").compactMap { line in
        let words = line.words.map(String.init)
        guard let dash = words.firstIndex(of: "-"), dash >= 6, words.count > dash + 3 else { return nil }
        let options = Set(words[dash + 3].split(separator: ",").map(String.init))
        return Mount(root: words[3], point: words[4], type: words[dash + 1], options: options)
      }
    }
  }
}
