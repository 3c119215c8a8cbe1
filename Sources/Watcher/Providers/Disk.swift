import Glibc

extension Watcher {
  /// The used share of a folder's file system, as `df` counts it: used space, divided by used space plus space
  /// available to users (statvfs(3)).
  public struct DiskSpace: MetricProvider {
    /// The metric.
    public let metric = Metric.diskSpace
    private let folder: String

    /// Watches the file system of `folder`.
    public init(folder: String = "/") { self.folder = folder }

    /// Takes a sample now.
    public func sample() -> Sample {
      let content = level(of: metric) { () throws(Unavailability) in
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else {
          let code = errno
          switch code {
          case ENOENT, ENOTDIR: throw .noDevice(folder)
          case EACCES, EPERM: throw .notPermitted(folder)
          default: throw .failed("\(folder): \(String(cString: strerror(code)))")
          }
        }
        let used = status.f_blocks - min(status.f_bfree, status.f_blocks)
        // Some, as /proc, hold no blocks at all.
        guard used + status.f_bavail > 0 else { throw .noDevice("space on the file system of \(folder)") }
        return Double(used) / Double(used + status.f_bavail)
      }
      return Sample(content, at: clockNanoseconds())
    }
  }

  /// The bytes that this process reads from disks, or writes to disks, in a second. The figures come from
  /// `/proc/self/io` (proc(5)).
  public struct DiskActivity: PromptProvider {
    /// The metric.
    public let metric: Metric
    private let root: SystemRoot
    private let key: KeyPath<InputOutput, UInt64?> & Sendable
    private let name: String

    /// The bytes that this process reads from disks in a second.
    public static func reads(root: SystemRoot = .machine) -> DiskActivity {
      DiskActivity(metric: .diskReads, root: root, key: \.reads, name: "read_bytes:")
    }

    /// The bytes that this process writes to disks in a second.
    public static func writes(root: SystemRoot = .machine) -> DiskActivity {
      DiskActivity(metric: .diskWrites, root: root, key: \.writes, name: "write_bytes:")
    }

    /// Takes a sample now.
    public func sample() -> Sample {
      let look = InputOutput.shared(root)
      let content = counters { () throws(Unavailability) in
        guard let count = try look.result.get()[keyPath: key] else { throw .failed("/proc/self/io has no \(name)") }
        return .count(count, scale: 1)
      }
      return Sample(content, at: look.instant)
    }
  }
}
