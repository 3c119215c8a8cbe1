import Glibc
import LinuxCalls

/// The path to which the kernel writes the core file of a process (core(5)).
public struct CoreFilePath: Sendable {
  /// A piece of the file's name: what is known of the process, or what only the kernel knows.
  private enum Piece: Equatable {
    case text(String)
    case unknown
  }

  /// At most this many names of a folder are looked at.
  private static let mostNames = 4096

  private let folder: String
  private let name: [Piece]

  /// Finds the path from the values of `core_pattern` and `core_uses_pid`. Returns `nil` if the kernel writes no file,
  /// or if the name of its folder cannot be known.
  public init?(pattern: String, usesPID: Bool, pid: pid_t, signal: Int32) {
    guard !pattern.hasPrefix("|"), !pattern.isEmpty || usesPID else { return nil }
    var pieces = Self.pieces(of: pattern, pid, signal)
    if usesPID, !pattern.contains("%p") { pieces.append(.text(".\(pid)")) }
    let slash = pieces.lastIndex { if case .text(let text) = $0 { text.contains("/") } else { false } }
    guard let slash, case .text(let text) = pieces[slash], let end = text.lastIndex(of: "/") else {
      (folder, name) = (".", pieces)
      return
    }
    let before = pieces[..<slash]
    guard !before.contains(.unknown) else { return nil }
    let path = before.map { if case .text(let text) = $0 { text } else { "" } }.joined() + text[..<end]
    (folder, name) = (
      path.isEmpty ? "/" : path, [.text(String(text[text.index(after: end)...]))] + pieces[(slash + 1)...]
    )
  }

  private static func pieces(of pattern: String, _ pid: pid_t, _ signal: Int32) -> [Piece] {
    var pieces: [Piece] = []
    var characters = pattern.makeIterator()
    while let character = characters.next() {
      guard character == "%" else {
        pieces.append(.text(String(character)))
        continue
      }
      switch characters.next() {
      case "%": pieces.append(.text("%"))
      case "p": pieces.append(.text("\(pid)"))
      case "u": pieces.append(.text("\(getuid())"))
      case "g": pieces.append(.text("\(getgid())"))
      case "s": pieces.append(.text("\(signal)"))
      case nil: break
      // The time, the thread's name and number, the host, a number in another namespace, and what later kernels add.
      default: pieces.append(.unknown)
      }
    }
    return pieces.reduce(into: []) { merged, piece in
      if case .text(let more) = piece, case .text(let text)? = merged.last {
        merged[merged.count - 1] = .text(text + more)
      } else if piece != .unknown || merged.last != .unknown {
        merged.append(piece)
      }
    }
  }

  /// The files that have this path and were written since the time `start`, the newest first. Parts of the name may be
  /// unknown, so some files may belong to other processes.
  public func files(since start: time_t) -> [String] {
    guard let names = opendir(folder) else { return [] }
    defer { closedir(names) }
    var found: [(path: String, time: time_t)] = []
    for _ in 0..<Self.mostNames {
      guard let entry = readdir(names) else { break }
      let text = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 256) { String(systemText: $0) }
      }
      guard matches(text) else { continue }
      let path = folder == "." ? text : folder == "/" ? "/\(text)" : "\(folder)/\(text)"
      var status = stat()
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
        status.st_mtim.tv_sec >= start
      else { continue }
      found.append((path, status.st_mtim.tv_sec))
    }
    return found.sorted { ($1.time, $0.path) < ($0.time, $1.path) }.map(\.path)
  }

  /// The first text begins the name, the last one ends it, and each other is taken where it is found first.
  private func matches(_ text: String) -> Bool {
    var left = text[...]
    for (index, piece) in name.enumerated() {
      guard case .text(let literal) = piece else { continue }
      if index == 0 {
        guard left.hasPrefix(literal) else { return false }
        left = left.dropFirst(literal.count)
      } else if index == name.count - 1 {
        return left.hasSuffix(literal)
      } else {
        guard let found = left.firstRange(of: literal) else { return false }
        left = left[found.upperBound...]
      }
    }
    return left.isEmpty || name.last == .unknown
  }
}

extension CoreFilePath {
  /// Uses the settings of this machine's kernel.
  public init?(ofProcess pid: pid_t, signal: Int32) {
    func setting(_ name: String) -> String? {
      KernelFile.read("/proc/sys/kernel/\(name)").map { bytes in
        String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
      }
    }
    guard let pattern = setting("core_pattern") else { return nil }
    self.init(pattern: pattern, usesPID: setting("core_uses_pid") == "1", pid: pid, signal: signal)
  }
}
