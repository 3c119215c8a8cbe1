import CLinuxCalls
import Glibc
import LinuxCalls
import Synchronization

/// How long to wait for debuginfod servers. The symbolicator asks them for files that are not on this machine.
///
/// The environment variable `DEBUGINFOD_URLS` lists the servers. The library libdebuginfod downloads the files, and has
/// its own cache and settings (debuginfod-client-config(7)). No server is asked if the variable is not set, or if the
/// process has more privileges than its user.
public struct DebuginfodOptions: Sendable, Hashable {
  /// The time limit for one file.
  public var timeLimit: Duration
  /// How long a server may take to begin its answer: `timeLimit`, but at most 15 seconds.
  public var answerLimit: Duration { min(timeLimit, .seconds(15)) }

  /// Sets the time limit; the default is a minute.
  public init(timeLimit: Duration = .seconds(60)) {
    self.timeLimit = timeLimit
  }
}

/// The progress of a download.
public struct DownloadProgress: Sendable, Hashable {
  /// The name of the image whose file is downloaded.
  public var image: String
  /// The received bytes; nil until a server begins to send.
  public var received: Int?
  /// The size of the whole file, if the server reports it.
  public var total: Int?
  /// Whether the download has ended, with or without success.
  public var isOver: Bool
}

/// Asks debuginfod servers for files by build ID, one at a time. Thread-safe.
final class Debuginfod: Sendable {
  enum Kind: String {
    case debuginfo, executable
  }

  struct Answer {
    /// The right file.
    var file: ELFFile?
    /// What was asked and what came of it, for people.
    var searched: [String]
    /// Whether a server answered, if only that it has no such file.
    var isAnswered = false
  }

  private struct State {
    /// A server that let a request run out of time is not asked again before.
    var restsUntil: ContinuousClock.Instant?
  }

  private static let rest = Duration.seconds(300)

  private let urls: [String]
  private let options: DebuginfodOptions
  private let report: (@Sendable (DownloadProgress) -> Void)?
  private let state = Mutex(State())

  /// Nil if no server is to be asked.
  init?(_ options: DebuginfodOptions?, report: (@Sendable (DownloadProgress) -> Void)?) {
    // Who started a process with raised privileges must not choose what it reads and writes.
    guard let options, linux_is_privileged() == 0 else { return nil }
    urls = Self.environment("DEBUGINFOD_URLS").split(whereSeparator: \.isWhitespace).map(String.init)
    guard !urls.isEmpty else { return nil }
    self.options = options
    self.report = report
  }

  /// Asks for a file; `isRight` says whether one of the right build ID holds what is wanted.
  func find(
    _ kind: Kind, _ buildID: [UInt8]?, for image: String, where isRight: (ELFFile) -> Bool = { _ in true }
  ) -> Answer {
    guard let buildID, buildID.count > 1 else { return Answer(searched: []) }
    return state.withLock { state in
      let (file, what) = ask(kind, buildID, image, &state, isRight)
      let isAnswered = file != nil || what == Self.words(for: ENOENT)
      let path = "buildid/\(BuildID.hex(buildID))/\(kind.rawValue)"
      let places = urls.map { FilePath.join(Self.withoutPassword($0), path) }
      return Answer(file: file, searched: places.map { "\($0) (\(what))" }, isAnswered: isAnswered)
    }
  }

  /// Asks for a build that no server has.
  func probe() -> Answer {
    find(.debuginfo, (0..<20).map { _ in UInt8.random(in: .min ... .max) }, for: "nothing")
  }

  private func ask(
    _ kind: Kind, _ buildID: [UInt8], _ image: String, _ state: inout State, _ isRight: (ELFFile) -> Bool
  ) -> (ELFFile?, String) {
    guard let library = DebuginfodLibrary.shared else { return (nil, "not asked: no \(DebuginfodLibrary.name)") }
    guard DebuginfodCache.folder != nil else {
      return (nil, "not asked: no folder for its cache, because HOME is not set")
    }
    if let end = state.restsUntil, ContinuousClock.now < end {
      return (nil, "not asked: an earlier request took too long")
    }
    let report = report
    let request = DebuginfodRequest(library, options) { received, total in
      report?(DownloadProgress(image: image, received: received, total: total, isOver: false))
    }
    let outcome = request.run(kind, buildID)
    report?(DownloadProgress(image: image, isOver: true))
    switch outcome {
    case .ranOutOfTime:
      state.restsUntil = ContinuousClock.now + Self.rest
      return (nil, "took too long")
    case .tooLarge: return (nil, "gave more than \(Limits.downloadedBytes >> 30) GiB")
    case .failed(let code): return (nil, Self.words(for: -code))
    case .file(let path):
      guard let file = ELFFile(path: path) else { return (nil, refuse(path, "gave a file that is not ELF")) }
      guard file.buildID == buildID else {
        let other = file.buildID.map { "of another build: \(BuildID.hex($0))" } ?? "without a build ID"
        return (nil, refuse(path, "gave a file \(other)"))
      }
      return isRight(file) ? (file, "found") : (nil, "the file has no debug information")
    }
  }

  /// A wrong answer must not stay in the cache for as long as a right one.
  private func refuse(_ path: String, _ what: String) -> String {
    unlink(path)
    return what
  }

  private static func words(for code: Int32) -> String {
    switch code {
    case ENOENT: "not there"
    case ECONNREFUSED: "connection refused"
    case EHOSTUNREACH: "the host does not exist or cannot be reached"
    case ETIME, ETIMEDOUT: "took too long"
    default: errorText(code)
    }
  }

  /// An address as it may be shown: without the name and the password that it may hold.
  private static func withoutPassword(_ url: String) -> String {
    guard let scheme = url.firstRange(of: "://") else { return url }
    let end = url[scheme.upperBound...].firstIndex(of: "/") ?? url.endIndex
    guard let at = url[scheme.upperBound..<end].lastIndex(of: "@") else { return url }
    return String(url[..<scheme.upperBound] + url[url.index(after: at)...])
  }

  private static func environment(_ name: String) -> String {
    LinuxCalls.environment(name) ?? ""
  }
}

/// Where an image's files are looked for, beside the places that its name and path say.
struct SymbolSources: Sendable {
  let folders: SymbolFolders
  let debuginfod: Debuginfod?
}
