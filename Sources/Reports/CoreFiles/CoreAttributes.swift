import CLinuxCalls
import CrashReportModel
import Glibc

/// What systemd-coredump wrote beside a core: extended attributes of its file. A user who may write it may set them.
struct CoreAttributes: Sendable, Hashable {
  /// When the process died, in microseconds since 1970.
  var timestamp: Int64?
  var pid: Int?
  var signal: Int?
  /// The kernel's name of the process: at most 15 bytes.
  var comm: String?
  /// The path of the program.
  var executable: String?
  var hostname: String?

  private static let longestPath = 4096
  private static let longestText = 255
  /// In the year 10000.
  private static let lastMoment: Int64 = 253_402_300_800_000_000

  init() {}

  /// The attributes of an open file; none if it has none, or its file system knows none.
  init(_ descriptor: Int32) {
    timestamp = Self.text("timestamp", descriptor).flatMap { Int64($0) }
      .flatMap { (0..<Self.lastMoment).contains($0) ? $0 : nil }
    pid = Self.number("pid", descriptor)
    signal = Self.number("signal", descriptor)
    comm = Self.text("comm", descriptor)
    executable = Self.text("exe", descriptor)
    hostname = Self.text("hostname", descriptor)
  }

  /// Why these are not of the core whose notes say this; `nil` if nothing contradicts. Process ids may well differ: in a
  /// container the kernel writes the one inside, and systemd the one outside.
  func contradiction(signal: Int, name: String?) -> String? {
    if let own = self.signal, own != signal {
      return "its extended attributes name signal \(own), but the core names signal \(signal)"
    }
    if let comm, let name, comm != name { return "its extended attributes and the core name different processes" }
    return nil
  }

  /// A process or a signal has a small number above 0.
  private static func number(_ name: String, _ descriptor: Int32) -> Int? {
    text(name, descriptor).flatMap { Int($0) }.flatMap { (1...4_194_304).contains($0) ? $0 : nil }
  }

  private static func text(_ name: String, _ descriptor: Int32) -> String? {
    var bytes = [UInt8](repeating: 0, count: longestPath)
    let count = fgetxattr(descriptor, "user.coredump.\(name)", &bytes, bytes.count)
    guard count > 0, count <= (name == "exe" ? longestPath : longestText) else { return nil }
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }
}
