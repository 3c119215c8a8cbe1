import CrashReportReading
import LinuxCalls

/// The place of a value that may be a secret: the environment, a file, or the command line. Every user of the machine
/// can read a command line, so a secret must not be there.
public enum SecretPlace: Sendable, Hashable {
  case environment(String)
  case file(String)
  case plain(String)

  /// The longest file that is read.
  private static let longestFile = 64 << 10

  /// Reads `env:NAME`, `file:PATH` or the value itself.
  public init(_ text: String) {
    if text.hasPrefix("env:") {
      self = .environment(String(text.dropFirst(4)))
    } else if text.hasPrefix("file:") {
      self = .file(String(text.dropFirst(5)))
    } else {
      self = .plain(text)
    }
  }

  /// Reads the value, and removes white space and line ends around it.
  ///
  /// - Throws: `DestinationError` if there is no value, or if it is a secret on the command line.
  public func read(_ settings: DestinationSettings, _ what: String) throws(DestinationError) -> String {
    let value: String
    switch self {
    case .environment(let name):
      guard let found = settings.variable(name), !found.isEmpty else {
        throw DestinationError("\(what): the environment variable \(name) is not set")
      }
      value = found
    case .file(let path):
      do throws(ReadingError) {
        value = String(decoding: try InputFile.read(path: path, limit: Self.longestFile), as: UTF8.self)
      } catch {
        throw DestinationError("\(what): \(path): \(error.what)")
      }
    case .plain(let text):
      guard !Self.holdsPassword(text) else {
        throw DestinationError(
          "\(what): a password does not belong on a command line, which all users can read; use env:NAME or file:PATH")
      }
      value = text
    }
    let ending = value.reversed().prefix { $0.isWhitespace }.count
    return String(value.dropLast(ending).drop { $0.isWhitespace })
  }

  /// Reads the value of an option that is always a secret.
  ///
  /// - Throws: `DestinationError` if the place holds no value, or if the value is on the command line.
  public func readHidden(_ settings: DestinationSettings, _ what: String) throws(DestinationError) -> String {
    if case .plain = self {
      throw DestinationError("\(what) takes env:NAME or file:PATH: all users can read a command line")
    }
    return try read(settings, what)
  }

  /// Whether a URL has a password. What stands alone before `@` is a user's name, or the public key of a DSN.
  private static func holdsPassword(_ text: String) -> Bool {
    WebAddress(text)?.user?.contains(":") == true
  }
}
