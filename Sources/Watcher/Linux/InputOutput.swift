extension Watcher {
  /// `/proc/self/io`: bytes that this process read from disks and wrote to them, if the file has them (proc(5)).
  struct InputOutput: Sendable {
    private(set) var reads, writes: UInt64?

    /// Two providers read it.
    static let shared = SharedLook { root throws(Unavailability) in try InputOutput(root) }

    init(_ root: SystemRoot) throws(Unavailability) {
      self = try root.beginning(of: "/proc/self/io") { InputOutput($0) }
    }

    private init(_ text: KernelText) {
      var text = text
      while var line = text.line() {
        guard let name = line.word() else { continue }
        if name == "read_bytes:" {
          reads = line.word()?.number
        } else if name == "write_bytes:" {
          writes = line.word()?.number
        }
      }
    }
  }
}
