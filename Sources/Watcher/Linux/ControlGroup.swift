import Synchronization

extension Watcher {
  /// The control groups that a process lies in, by controller (cgroups(7)).
  struct ControlGroup: Sendable {
    enum Version { case one, two }

    private struct Place {
      let version: Version
      /// The folders of the groups from the process's own up to the top.
      let folders: [String]
      /// Whether the process's own group existed when Watcher looked for it.
      let isThere: Bool
    }

    private let root: SystemRoot
    /// The contents of `/proc/self/cgroup`.
    private let membership: [UInt8]
    private let places: [String: Place]

    /// The calling process's groups. Their places are stored, and searched again if `/proc/self/cgroup` has changed, or
    /// if a controller's folder has appeared or disappeared, as after a mount. The result is empty if the kernel or the
    /// container has no groups.
    static func own(_ root: SystemRoot, _ controllers: [String]) -> ControlGroup {
      let membership = (try? memberships(root).result.get()) ?? []
      let known = kept.withLock { $0[root] }
      if let known, known.membership == membership, controllers.allSatisfy(known.isWhereItWas) { return known }
      let found = ControlGroup(root, membership)
      kept.withLock { kept in
        // The machine's and, in tests, a few others.
        if kept.count >= 8 { kept.removeAll() }
        kept[root] = found
      }
      return found
    }

    private static let kept = Mutex<[SystemRoot: ControlGroup]>([:])
    private static let memberships = SharedLook { root throws(Unavailability) in
      try root.whole("/proc/self/cgroup") { Array($0.bytes) }
    }

    private init(_ root: SystemRoot, _ membership: [UInt8]) {
      var places: [String: Place] = [:]
      let mounts = Mount.controlGroups(root)
      for line in String(decoding: membership, as: UTF8.self).split(separator: "\n") {
        let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { continue }
        func place(_ version: Version, _ mount: Mount) -> Place {
          let folders = Self.groups(String(parts[2]), in: mount)
          return Place(version: version, folders: folders, isThere: root.has(folders.first ?? ""))
        }
        if parts[1].isEmpty {
          guard let mount = mounts.first(where: { $0.type == "cgroup2" }) else { continue }
          for controller in ["cpu", "memory"] where places[controller] == nil {
            places[controller] = place(.two, mount)
          }
        } else {
          for controller in parts[1].split(separator: ",").map(String.init) {
            guard let mount = mounts.first(where: { $0.type == "cgroup" && $0.options.contains(controller) })
            else { continue }
            places[controller] = place(.one, mount)
          }
        }
      }
      self.root = root
      self.membership = membership
      self.places = places
    }

    private func isWhereItWas(_ controller: String) -> Bool {
      guard let place = places[controller], let own = place.folders.first else { return true }
      return root.has(own) == place.isThere
    }

    /// The version of the group that has a controller; `nil` if no group has it.
    func version(of controller: String) -> Version? { places[controller]?.version }

    /// The folders of a controller's groups, from the process's own up to the top: limits hold all the way up.
    func folders(of controller: String) -> [String] { places[controller]?.folders ?? [] }

    /// The contents of a file of the process's own group; `nil` if there is no such file.
    func line<Found>(
      _ controller: String, _ file: String, _ parse: (KernelText) throws(Unavailability) -> Found
    ) throws(Unavailability) -> Found? {
      guard let folder = folders(of: controller).first else { return nil }
      return try root.line("\(folder)/\(file)", parse)
    }

    /// Inside a container, the path is often the host's path, but only the groups below the container's own group are
    /// mounted. So the mount's root is removed from the path.
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

    /// Those that hold control groups.
    static func controlGroups(_ root: SystemRoot) -> [Mount] {
      guard let text = try? root.text("/proc/self/mountinfo") else { return [] }
      return text.split(separator: "\n").compactMap { line in
        let words = line.split(separator: " ").map(String.init)
        guard let dash = words.firstIndex(of: "-"), dash >= 6, words.count > dash + 3 else { return nil }
        guard words[dash + 1].hasPrefix("cgroup") else { return nil }
        let options = Set(words[dash + 3].split(separator: ",").map(String.init))
        return Mount(root: words[3], point: words[4], type: words[dash + 1], options: options)
      }
    }
  }
}
