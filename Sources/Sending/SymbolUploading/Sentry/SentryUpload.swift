import CrashReportModel
import Glibc
import ReportSending
import SymbolStore

/// Uploads the files of a store to a Sentry project. Sentry then shows functions and lines in events.
///
/// Files are sent in chunks. The server says which chunks it lacks, so existing chunks are not sent again.
public struct SentryUpload: SymbolReceiver {
  /// A project and its token.
  public struct Project: Sendable {
    public var organisation: String
    public var name: String
    public var token: String

    public init(organisation: String, name: String, token: String) {
      (self.organisation, self.name, self.token) = (organisation, name, token)
    }
  }

  /// What the server said first.
  private struct Limits {
    var address: WebAddress
    var chunkSize: Int
    var chunksPerRequest: Int
    var requestSize: Int
    /// 0: no limit.
    var fileSize: Int
  }

  private static let usualPlace = "https://sentry.io"
  /// No request is larger than a chunk and this, whatever the server takes: it is in memory.
  private static let largestRequest = 16 << 20
  /// The limit: an answer with more missing chunks is longer than the part that is read.
  private static let mostChunks = 1400
  /// So often chunks are sent that the server still lacks.
  private static let mostRounds = 3
  private static let firstPause = Duration.milliseconds(100)
  private static let longestPause = Duration.seconds(5)

  private let store: StoreReader
  private let server: SentryServer
  private let assembly: String
  private let limits: Limits
  private let patience: Duration

  /// Asks the server for its limits.
  ///
  /// - Parameters:
  ///   - place: The server's URL; empty for Sentry's own.
  ///   - patience: The time limit for one file.
  /// - Throws: `DestinationError` if the URL or a name has a wrong form; `SendFailure` if the server does not answer
  ///   like Sentry.
  public init(
    _ store: StoreReader, to place: String, _ project: Project, _ settings: DestinationSettings,
    by transport: any Transport, patience: Duration
  ) throws {
    guard let base = WebAddress(place.isEmpty ? Self.usualPlace : place) else {
      throw DestinationError("--to: not sentry: and an http or https URL")
    }
    guard Self.isName(project.organisation) else { throw DestinationError("--org: not a valid Sentry name") }
    guard Self.isName(project.name) else { throw DestinationError("--project: not a valid Sentry name") }
    guard SHA1() != nil else {
      throw SendFailure(what: "libcrypto is not installed (libcrypto.so.3; Debian's package libssl3)", status: 69)
    }
    let server = try SentryServer(base, token: project.token, settings, by: transport)
    self.store = store
    self.server = server
    self.patience = patience
    assembly = "/api/0/projects/\(project.organisation)/\(project.name)/files/difs/assemble/"
    do throws(SentryServer.Failure) {
      let answer = try server.get(
        "/api/0/organizations/\(project.organisation)/chunk-upload/", until: ContinuousClock().now + patience)
      limits = try Self.limits(answer, server)
    } catch {
      switch error {
      case .refused(let why): throw SendFailure(what: why, status: 65)
      case .later(let why): throw SendFailure(what: why, status: 75)
      }
    }
  }

  public var files: [SymbolUpload.File] { store.files }

  public func upload(_ file: SymbolUpload.File) -> SymbolUpload.Outcome {
    guard let stored = store.open(file.kind, buildID: file.buildID) else { return .refused("it cannot be read") }
    defer { close(stored.descriptor) }
    let most = Self.mostChunks * limits.chunkSize
    let largest = limits.fileSize > 0 ? min(limits.fileSize, most) : most
    guard (1...largest).contains(stored.size) else {
      return .refused(
        stored.size == 0 ? "it is empty" : "it has \(stored.size) bytes; the server accepts at most \(largest)")
    }
    guard let chunks = SentryChunks(stored, chunkSize: limits.chunkSize) else { return .refused("it cannot be read") }
    do throws(SentryServer.Failure) {
      return try hand(chunks, debugID: SentryDebugID.text(file.buildID), name: stored.name)
    } catch {
      switch error {
      case .refused(let why): return .refused(why)
      case .later(let why): return .failed(why)
      }
    }
  }

  /// Asks what is missing and sends it, until the server has put the file together.
  private func hand(
    _ chunks: SentryChunks, debugID: String, name: String
  ) throws(SentryServer.Failure) -> SymbolUpload.Outcome {
    let end = ContinuousClock().now + patience
    var file = JSONObject()
    file["name"] = name.json
    file["debug_id"] = debugID.json
    file["chunks"] = chunks.hashes.json
    let request = JSONObject(members: [.init(key: chunks.hash, value: file.json)])
    var (rounds, pause, isFirst) = (0, Self.firstPause, true)
    while true {
      guard case .object(let state)? = try server.post(assembly, request, until: end)[chunks.hash] else {
        throw .refused("the answer is not from a Sentry server")
      }
      switch state["state"] {
      case .string("ok"): return isFirst ? .alreadyThere : .uploaded
      case .string("not_found"):
        guard rounds < Self.mostRounds else { throw .later("the server lost chunks \(rounds) times") }
        rounds += 1
        try send(state["missingChunks"].flatMap { [String](json: $0) } ?? [], of: chunks, until: end)
      case .string("created"), .string("assembling"):
        guard SentryServer.wait(pause, until: end) else { throw .later("the server has not finished with this file") }
        pause = min(pause * 2, Self.longestPause)
      case .string("error"):
        throw .refused(
          "the server cannot use it: \(state["detail"].flatMap { String(json: $0) }?.prefix(400) ?? "no reason")")
      default: throw .refused("the answer is not from a Sentry server")
      }
      isFirst = false
    }
  }

  private func send(
    _ missing: [String], of chunks: SentryChunks, until end: ContinuousClock.Instant
  ) throws(SentryServer.Failure) {
    var form = SentryForm(hash: chunks.hash)
    func finish() throws(SentryServer.Failure) {
      guard ContinuousClock().now < end else { throw .later("the upload takes too long") }
      form.end()
      try server.post(form, to: limits.address, until: end)
      form = SentryForm(hash: chunks.hash)
    }
    var wanted = Set(missing)
    for hash in chunks.hashes where wanted.remove(hash) != nil {
      guard let content = chunks.content(hash) else { throw .refused("it cannot be read") }
      let size = form.bytes.count + content.count
      if form.count > 0 && (form.count == limits.chunksPerRequest || size > limits.requestSize) {
        try finish()
      }
      form.add(content, hash: hash)
    }
    if form.count > 0 { try finish() }
    guard wanted.isEmpty else { throw .refused("the server asks for chunks that the file does not have") }
  }

  private static func limits(
    _ answer: JSONObject, _ server: SentryServer
  ) throws(SentryServer.Failure) -> Limits {
    func number(_ key: String) -> Int? { answer[key].flatMap { Int(json: $0) } }
    func names(_ key: String) -> [String]? { answer[key].flatMap { [String](json: $0) } }
    guard let url = answer["url"].flatMap({ String(json: $0) }), let chunkSize = number("chunkSize"), chunkSize > 0,
      let chunksPerRequest = number("chunksPerRequest"), let requestSize = number("maxRequestSize")
    else { throw .refused("the answer is not from a Sentry server") }
    guard let address = server.address(url) else { throw .refused("the server asks for an upload to an unsafe URL") }
    guard answer["hashAlgorithm"] == "sha1".json else { throw .refused("the server wants hashes other than SHA-1") }
    guard names("accept")?.contains("debug_files") ?? true else {
      throw .refused("the server does not accept debug files")
    }
    return Limits(
      address: address, chunkSize: min(chunkSize, largestRequest), chunksPerRequest: max(1, chunksPerRequest),
      requestSize: min(requestSize, largestRequest), fileSize: number("maxFileSize") ?? 0)
  }

  /// Whether a text is a slug: it stands in a path.
  private static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.first != "."
      && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }
  }
}
