#if Desk
  import CrashReportReading
  import Glibc
  import LinuxCalls
  import Synchronization

  /// The tokens that programs send with their reports. The file `tokens` has the name and the hash of each token.
  public final class Tokens: Sendable {
    private let path: String
    private let folder: String
    private let read: Mutex<(mark: FileMark?, lines: [Line])>

    private typealias Line = (name: String, hash: String)

    /// Reads the tokens of a folder.
    ///
    /// - Throws: ``StoreError`` if the file exists but cannot be read.
    public init(_ folder: String) throws(StoreError) {
      self.folder = folder
      path = folder + "/tokens"
      read = Mutex((FileMark(path), try Self.lines(path)))
    }

    /// The lines as they are now: another process may have made a token or taken one away.
    private var lines: [Line] {
      read.withLock { read in
        let mark = FileMark(path)
        // A file that cannot be read leaves the tokens as they were.
        if mark != read.mark, let lines = try? Self.lines(path) { read = (mark, lines) }
        return read.lines
      }
    }

    private static func lines(_ path: String) throws(StoreError) -> [Line] {
      guard access(path, F_OK) == 0 else { return [] }
      let bytes: [UInt8]
      do throws(ReadingError) {
        bytes = try InputFile.read(path: path, limit: 1 << 20)
      } catch {
        throw StoreError(path, error.what)
      }
      let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { $0.split(separator: " ") }
      guard lines.allSatisfy({ $0.count == 2 && $0[1].utf8.count == 64 }) else {
        throw StoreError(path, "each line must be a name and a hash, but one is not")
      }
      return lines.map { (String($0[0]), String($0[1])) }
    }

    /// Whether there is no token.
    public var isEmpty: Bool { lines.isEmpty }

    /// Whether a name is allowed in the file: letters, digits, `-`, `_` and `.`.
    public static func isName(_ name: String) -> Bool {
      (1...64).contains(name.utf8.count)
        && name.utf8.allSatisfy { byte in
          (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            || "-_.".utf8.contains(byte)
        }
    }

    /// Makes a token, which replaces an earlier token of that name. The file keeps only the token's hash.
    public func make(_ name: String) throws(StoreError) -> String {
      let token = RandomText.digits(bytes: 24)
      let hash = Self.hash(token)
      try write { $0 = $0.filter { $0.name != name } + [(name, hash)] }
      return token
    }

    /// Removes a token. Returns false if no token has that name.
    public func remove(_ name: String) throws(StoreError) -> Bool {
      guard lines.contains(where: { $0.name == name }) else { return false }
      try write { $0 = $0.filter { $0.name != name } }
      return true
    }

    /// Whether a text is one of the tokens.
    public func contains(_ token: String) -> Bool { project(of: token) != nil }

    /// The name of a token; `nil` for an unknown token. The time of the look-up does not depend on how many characters
    /// are right.
    public func project(of token: String) -> String? {
      let hash = Self.hash(token)
      return lines.reduce(nil) { found, line in ConstantTime.areEqual(line.hash, hash) ? line.name : found }
    }

    private static func hash(_ token: String) -> String { ContentHash.digits(of: Array("desk token:\(token)".utf8)) }

    private func write(_ change: (inout [Line]) -> Void) throws(StoreError) {
      var changed = lines
      change(&changed)
      let text = changed.map { "\($0.name) \($0.hash)\n" }.joined()
      try DurableFile.write(Array(text.utf8), to: path, in: folder)
    }
  }

  /// Which file a path leads to, and when it was written; another one means that it was replaced.
  private struct FileMark: Equatable {
    let inode: UInt64
    let seconds: Int
    let nanoseconds: Int

    /// `nil` if there is no file.
    init?(_ path: String) {
      var status = stat()
      guard path.withSystemText({ lstat($0, &status) }) == 0 else { return nil }
      (inode, seconds, nanoseconds) = (UInt64(status.st_ino), status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    }
  }

  /// Compares secrets in a time that does not depend on their characters.
  public enum ConstantTime {
    /// Whether two texts are equal. Always compares all bytes.
    public static func areEqual(_ left: String, _ right: String) -> Bool {
      let (left, right) = (Array(left.utf8), Array(right.utf8))
      guard left.count == right.count else { return false }
      return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
  }

  /// Makes texts that no client can guess.
  public enum RandomText {
    /// `count` random bytes from the kernel, as hexadecimal digits.
    public static func digits(bytes count: Int) -> String {
      var generator = SystemRandomNumberGenerator()
      return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }.hexadecimal
    }
  }
#endif
