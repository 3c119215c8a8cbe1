import CrashReportReading
import Glibc
import ReportSending
import SymbolStore

/// Uploads the files of a store, one at a time.
public protocol SymbolReceiver {
  /// The files that the store has, in their order.
  var files: [SymbolUpload.File] { get }

  /// Uploads one file, unless the server already has it.
  func upload(_ file: SymbolUpload.File) -> SymbolUpload.Outcome
}

/// Uploads the files of a store to the URLs that debuginfod's clients use, such as `URL/buildid/ID/debuginfo`.
///
/// Existing files are not sent again, so you can repeat an interrupted upload.
public struct SymbolUpload: SymbolReceiver {
  /// The result for one file.
  public enum Outcome: Sendable, Hashable {
    case uploaded
    case alreadyThere
    /// The server refuses it forever, with the reason.
    case refused(String)
    /// A later attempt may succeed, with the reason.
    case failed(String)
  }

  /// A file with debuginfod's name.
  public struct File: Sendable, Hashable {
    public var kind: StoredFile.Kind
    public var buildID: String

    /// The path of the file's URL, such as `/buildid/ID/debuginfo`.
    public var path: String { "/buildid/\(buildID)/\(kind.rawValue)" }
  }

  /// Larger files are refused: each is held in memory once.
  private static let largestFile = 4 << 30

  private let store: StoreReader
  private let address: WebAddress
  private let headers: [HTTPRequest.Header]
  private let transport: any Transport

  /// - Parameters:
  ///   - place: The URL; a user and a password in it become a header.
  ///   - key: Sent as `Authorization: Bearer KEY`.
  /// - Throws: `DestinationError` if `place` is not a URL, or if the key is not valid in a header.
  public init(
    _ store: StoreReader, to place: String, _ settings: DestinationSettings, by transport: any Transport
  ) throws(DestinationError) {
    guard let address = WebAddress(place) else { throw DestinationError("--to: not an http or https URL") }
    var headers = settings.headers
    if let key = settings.key {
      guard let header = HTTPRequest.Header(checked: "Authorization", "Bearer \(key)") else {
        throw DestinationError("--key: the key has characters that a header must not have")
      }
      headers.append(header)
    } else if let user = address.user {
      headers.append(BasicAuthorization.header(user))
    }
    self.store = store
    self.address = address
    self.headers = headers
    self.transport = transport
  }

  public var files: [File] { store.files }

  public func upload(_ file: File) -> Outcome {
    do throws(TransportFailure) {
      let known = try transport.send(request(.head, file, []))
      switch known.status {
      case 200..<300: return .alreadyThere
      case 404: break
      default: return Self.outcome(known)
      }
      guard let content = content(file) else { return .refused("it cannot be read") }
      let answer = try transport.send(request(.put, file, content))
      switch answer.status {
      case 200..<300: return .uploaded
      // Another process was faster.
      case 409, 412: return .alreadyThere
      default: return Self.outcome(answer)
      }
    } catch {
      return .failed(error.what)
    }
  }

  private func request(_ method: HTTPRequest.Method, _ file: File, _ body: [UInt8]) -> HTTPRequest {
    let type = HTTPRequest.Header("Content-Type", "application/octet-stream")
    return HTTPRequest(
      url: address.appending(file.path).text, headers: (method == .put ? [type] : []) + headers, body: body,
      method: method)
  }

  private func content(_ file: File) -> [UInt8]? {
    guard let stored = store.open(file.kind, buildID: file.buildID) else { return nil }
    defer { close(stored.descriptor) }
    return try? InputFile.read(file: stored.descriptor, limit: Self.largestFile)
  }

  private static func outcome(_ answer: HTTPResponse) -> Outcome {
    answer.isForLater ? .failed(Verdict.words(answer)) : .refused(Verdict.words(answer))
  }
}

extension HTTPResponse {
  /// Whether the server may take it later.
  var isForLater: Bool {
    switch status {
    case 408, 425, 429, 500...: true
    default: false
    }
  }
}

extension StoreReader {
  /// The files of all kinds, in their order.
  var files: [SymbolUpload.File] {
    StoredFile.Kind.allCases.flatMap { kind in buildIDs(kind).map { SymbolUpload.File(kind: kind, buildID: $0) } }
  }
}
