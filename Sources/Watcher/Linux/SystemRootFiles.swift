import Glibc

extension Watcher.SystemRoot {
  /// The largest size of such a file, in bytes. A longer file is not one of them.
  private static let longest = 1 << 20

  /// Most of these files are shorter. In longer ones, the wanted line is among the first bytes.
  private static let first = 8192

  /// Passes on the beginning of a file, as one call reads it. For files that the kernel generates in one call.
  ///
  /// The file is opened each time. A descriptor that stays open would save little, and would have to survive a program
  /// that closes what it does not know, and a fork.
  ///
  /// - Throws: ``Watcher/Unavailability/noDevice(_:)`` if there is none, ``Watcher/Unavailability/notPermitted(_:)``,
  ///   or ``Watcher/Unavailability/failed(_:)``. An error that `parse` throws is rethrown.
  func beginning<Found>(
    of file: String, _ parse: (KernelText) throws(Watcher.Unavailability) -> Found
  ) throws(Watcher.Unavailability) -> Found {
    let descriptor = try Self.descriptor(path + file, file)
    let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: Self.first)
    defer { buffer.deallocate() }
    let got = Self.fill(buffer, from: descriptor)
    let code = errno
    close(descriptor)
    guard let start = buffer.baseAddress, got >= 0 else { throw Self.reason(file, code) }
    return try parse(KernelText(start, count: got))
  }

  /// Hands all of a file over.
  ///
  /// - Throws: As ``beginning(of:_:)``.
  func whole<Found>(
    _ file: String, _ parse: (KernelText) throws(Watcher.Unavailability) -> Found
  ) throws(Watcher.Unavailability) -> Found {
    let descriptor = try Self.descriptor(path + file, file)
    defer { close(descriptor) }
    var buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: Self.first)
    defer { buffer.deallocate() }
    var count = 0
    while let start = buffer.baseAddress {
      let got = Self.fill(UnsafeMutableBufferPointer(rebasing: buffer[count...]), from: descriptor)
      guard got >= 0 else { throw Self.reason(file, errno) }
      count += got
      if got == 0 { return try parse(KernelText(start, count: count)) }
      guard count == buffer.count else { continue }
      guard count < Self.longest else { break }
      let larger = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 2 * count)
      _ = larger.update(fromContentsOf: buffer)
      buffer.deallocate()
      buffer = larger
    }
    throw .failed("\(file) is longer than \(Self.longest) bytes")
  }

  /// The text of a file.
  ///
  /// - Throws: As ``beginning(of:_:)``.
  func text(_ file: String) throws(Watcher.Unavailability) -> String {
    try whole(file) { text in text.string }
  }

  /// The beginning of a file without the white space around it; `nil` if there is no such file.
  func line<Found>(
    _ file: String, _ parse: (KernelText) throws(Watcher.Unavailability) -> Found
  ) throws(Watcher.Unavailability) -> Found? {
    do {
      return try beginning(of: file) { text throws(Watcher.Unavailability) in try parse(text.trimmed) }
    } catch .noDevice {
      return nil
    }
  }

  /// The same as a string.
  func line(_ file: String) throws(Watcher.Unavailability) -> String? { try line(file) { $0.string } }

  private static func descriptor(_ path: String, _ file: String) throws(Watcher.Unavailability) -> Int32 {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { throw reason(file, errno) }
    return descriptor
  }

  private static func fill(_ buffer: UnsafeMutableBufferPointer<UInt8>, from descriptor: Int32) -> Int {
    var got = read(descriptor, buffer.baseAddress, buffer.count)
    while got < 0 && errno == EINTR { got = read(descriptor, buffer.baseAddress, buffer.count) }
    return got
  }

  /// Whether there is such a file or folder.
  func has(_ file: String) -> Bool { access(path + file, F_OK) == 0 }

  /// The names in a folder, sorted; none if there is no such folder.
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

  private static func reason(_ file: String, _ code: Int32) -> Watcher.Unavailability {
    switch code {
    case ENOENT, ENOTDIR, ENODEV, ENXIO, ENODATA: .noDevice(file)
    case EACCES, EPERM: .notPermitted(file)
    default: .failed("\(file): \(String(cString: strerror(code)))")
    }
  }
}

/// Nanoseconds of a clock, by default of the monotonic one.
func clockNanoseconds(_ clock: clockid_t = CLOCK_MONOTONIC) -> UInt64 {
  var now = timespec()
  clock_gettime(clock, &now)
  return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
}

/// Nanoseconds since 1970.
func realNanoseconds() -> UInt64 { clockNanoseconds(CLOCK_REALTIME) }
