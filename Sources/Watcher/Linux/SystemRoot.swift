import Glibc

extension Watcher {
  /// The folder below which `/proc`, `/sys` and `/etc` lie. Tests give one of their own.
  public struct SystemRoot: Sendable, Hashable {
    /// The folder's path; empty for the machine's own root.
    public let path: String

    /// The machine's own files.
    public static let machine = SystemRoot("")

    /// Files below this folder.
    public init(_ path: String) { self.path = path.hasSuffix("/") ? String(path.dropLast()) : path }

    /// No file of these is longer; what is would not be one of them.
    private static let longest = 1 << 20

    /// The text of a file.
    ///
    /// - Throws: ``Unavailability/noDevice(_:)`` where there is none, ``Unavailability/notPermitted(_:)``, or
    ///   ``Unavailability/failed(_:)``.
    func text(_ file: String) throws(Unavailability) -> String {
      let descriptor = open(path + file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
      guard descriptor >= 0 else { throw Self.reason(file, errno) }
      defer { close(descriptor) }
      var bytes: [UInt8] = []
      while bytes.count <= Self.longest {
        let before = bytes.count
        var code: Int32 = 0
        let chunk = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
          var got = read(descriptor, buffer.baseAddress, buffer.count)
          while got < 0 && errno == EINTR { got = read(descriptor, buffer.baseAddress, buffer.count) }
          if got < 0 { code = errno }
          count = max(0, got)
        }
        guard code == 0 else { throw Self.reason(file, code) }
        bytes += chunk
        if bytes.count == before { return String(decoding: bytes, as: UTF8.self) }
      }
      throw .failed("\(file) is longer than \(Self.longest) bytes")
    }

    /// The text of a file without the white space around it; `nil` where there is no such file.
    func line(_ file: String) throws(Unavailability) -> Substring? {
      do {
        return try text(file).trimmed
      } catch .noDevice {
        return nil
      }
    }

    /// The names in a folder, sorted; none where there is no such folder.
    func names(in folder: String) -> [String] {
      guard let stream = opendir(path + folder) else { return [] }
      defer { closedir(stream) }
      var names: [String] = []
      while let entry = readdir(stream) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        if !name.hasPrefix(".") { names.append(name) }
      }
      return names.sorted()
    }

    private static func reason(_ file: String, _ code: Int32) -> Unavailability {
      switch code {
      case ENOENT, ENOTDIR, ENODEV, ENXIO, ENODATA: .noDevice(file)
      case EACCES, EPERM: .notPermitted(file)
      default: .failed("\(file): \(String(cString: strerror(code)))")
      }
    }
  }
}

extension StringProtocol {
  /// Without the white space around it.
  var trimmed: Substring {
    let start = drop { $0.isWhitespace }
    var end = Substring(start)
    while end.last?.isWhitespace == true { end.removeLast() }
    return end
  }

  /// Its words, as white space parts them.
  var words: [Substring] { split(whereSeparator: \.isWhitespace).map { Substring($0) } }
}

/// Nanoseconds of a clock, the monotonic one where none is named.
func clockNanoseconds(_ clock: clockid_t = CLOCK_MONOTONIC) -> UInt64 {
  var now = timespec()
  clock_gettime(clock, &now)
  return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
}

/// Nanoseconds since 1970.
func realNanoseconds() -> UInt64 { clockNanoseconds(CLOCK_REALTIME) }
