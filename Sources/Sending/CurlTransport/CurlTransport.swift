import CCurl
import Glibc
import ReportSending
import Synchronization

/// Sends requests with libcurl. It always checks certificates and host names, and follows no redirect.
public final class CurlTransport: Transport {
  /// The user's options.
  public struct Options: Sendable {
    /// A file of certificates to trust in place of the system's.
    public var caFile: String?
    /// A proxy, which overrides `https_proxy`, `http_proxy` and `no_proxy`.
    public var proxy: String?
    /// How long a request may take.
    public var timeLimit: Duration
    /// The value of the header `User-Agent`.
    public var client: String

    public init(caFile: String? = nil, proxy: String? = nil, timeLimit: Duration = .seconds(30), client: String) {
      self.caFile = caFile
      self.proxy = proxy
      self.timeLimit = timeLimit
      self.client = client
    }
  }

  private static let longestConnecting = Duration.seconds(10)

  private let library: CurlLibrary
  private let options: Options
  /// A handle keeps its connection for the next request.
  private let handle: Mutex<Handle>

  /// Makes a transport; `nil` if libcurl is not installed.
  public init?(_ options: Options) {
    guard let library = CurlLibrary.shared, let pointer = library.begin() else { return nil }
    self.library = library
    self.options = options
    handle = Mutex(Handle(pointer: pointer, end: library.end))
  }

  public func send(_ request: HTTPRequest) throws(TransportFailure) -> HTTPResponse {
    let result = handle.withLock { handle -> Result<HTTPResponse, TransportFailure> in
      do throws(TransportFailure) {
        return .success(try send(request, by: handle.pointer))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  private func send(
    _ request: HTTPRequest, by pointer: UnsafeMutableRawPointer
  ) throws(TransportFailure) -> HTTPResponse {
    library.reset(pointer)
    let answer = Answer()
    var headers: OpaquePointer?
    defer { library.freeList(headers) }
    // Empty: a body is sent at once, without asking whether it may be.
    for header in request.headers + [.init("Expect", "")] {
      headers = library.append(headers, header.value.isEmpty ? "\(header.name):" : "\(header.name): \(header.value)")
    }
    setUp(pointer, headers)
    switch request.method {
    case .get: set(pointer, CCURL_GET, 1)
    case .post: break
    case .put: request.method.rawValue.withCString { set(pointer, CCURL_CUSTOM_REQUEST, $0) }
    case .head: set(pointer, CCURL_NO_BODY, 1)
    }
    var words = [CChar](repeating: 0, count: Int(CCURL_ERROR_SIZE.rawValue))
    let code = words.withUnsafeMutableBufferPointer { words in
      request.body.withUnsafeBytes { body in
        set(pointer, CCURL_ERROR_BUFFER, UnsafeRawPointer(words.baseAddress))
        set(pointer, CCURL_WRITE_DATA, Unmanaged.passUnretained(answer).toOpaque())
        set(pointer, CCURL_HEADER_DATA, Unmanaged.passUnretained(answer).toOpaque())
        if request.method == .post || request.method == .put {
          _ = ccurl_set_size(library.set, pointer, Int32(CCURL_POST_FIELD_SIZE.rawValue), Int64(body.count))
          // Nil would make it read standard input.
          set(pointer, CCURL_POST_FIELDS, body.baseAddress ?? UnsafeRawPointer(words.baseAddress))
        }
        // It copies texts, but not the body.
        request.url.withCString { set(pointer, CCURL_URL, $0) }
        return withExtendedLifetime(answer) { library.perform(pointer) }
      }
    }
    // What is behind the part that is kept is not waited for.
    guard code == CCURL_OK.rawValue || (code == CCURL_WRITE_ERROR.rawValue && answer.isFull) else {
      throw TransportFailure(Self.text(words, code, library))
    }
    var status = 0
    _ = ccurl_get_number(library.get, pointer, Int32(CCURL_RESPONSE_CODE.rawValue), &status)
    return HTTPResponse(status: status, headers: answer.headers, body: answer.body)
  }

  private func setUp(_ pointer: UnsafeMutableRawPointer, _ headers: OpaquePointer?) {
    set(pointer, CCURL_POST, 1)
    set(pointer, CCURL_VERIFY_PEER, 1)
    set(pointer, CCURL_VERIFY_HOST, 2)
    set(pointer, CCURL_FOLLOW_LOCATION, 0)
    set(pointer, CCURL_PROTOCOLS, Int(CCURL_HTTP_AND_HTTPS.rawValue))
    // Time limits by a signal would disturb the program that this is part of.
    set(pointer, CCURL_NO_SIGNAL, 1)
    set(pointer, CCURL_TIMEOUT_MS, Int(options.timeLimit / .milliseconds(1)))
    set(pointer, CCURL_CONNECT_TIMEOUT_MS, Int(min(options.timeLimit, Self.longestConnecting) / .milliseconds(1)))
    set(pointer, CCURL_HTTP_HEADER, UnsafeRawPointer(headers))
    options.client.withCString { set(pointer, CCURL_USER_AGENT, $0) }
    if let file = options.caFile {
      file.withCString {
        set(pointer, CCURL_CA_FILE, $0)
        set(pointer, CCURL_PROXY_CA_FILE, $0)
      }
    }
    if let proxy = options.proxy { proxy.withCString { set(pointer, CCURL_PROXY, $0) } }
    _ = ccurl_set_function(library.set, pointer, Int32(CCURL_WRITE_FUNCTION.rawValue), Answer.takeBody)
    _ = ccurl_set_function(library.set, pointer, Int32(CCURL_HEADER_FUNCTION.rawValue), Answer.takeHeader)
  }

  private func set(_ pointer: UnsafeMutableRawPointer, _ option: ccurl_option, _ value: Int) {
    _ = ccurl_set_number(library.set, pointer, Int32(option.rawValue), value)
  }

  private func set(_ pointer: UnsafeMutableRawPointer, _ option: ccurl_option, _ value: UnsafeRawPointer?) {
    _ = ccurl_set_pointer(library.set, pointer, Int32(option.rawValue), value)
  }

  private static func text(_ words: [CChar], _ code: Int32, _ library: CurlLibrary) -> String {
    let text = String(decoding: words.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    if !text.isEmpty { return text }
    return library.words(code).map { String(cString: $0) } ?? "the request failed (\(code))"
  }
}

/// A handle of libcurl, closed at its end.
private struct Handle: ~Copyable, @unchecked Sendable {
  let pointer: UnsafeMutableRawPointer
  let end: @convention(c) (UnsafeMutableRawPointer?) -> Void

  deinit { end(pointer) }
}
