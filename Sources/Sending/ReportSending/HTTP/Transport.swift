/// Sends one request to a server and waits for its answer.
public protocol Transport: Sendable {
  /// - Throws: `TransportFailure` if no complete answer arrives.
  func send(_ request: HTTPRequest) throws(TransportFailure) -> HTTPResponse
}

/// A request.
public struct HTTPRequest: Sendable, Hashable {
  /// The method.
  public enum Method: String, Sendable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case head = "HEAD"
  }

  /// A header of a request.
  public struct Header: Sendable, Hashable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The URL. It may hold a secret, so it is never printed.
  public var url: String
  public var headers: [Header]
  public var body: [UInt8]
  public var method: Method

  public init(url: String, headers: [Header], body: [UInt8], method: Method = .post) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
  }
}

/// An answer.
public struct HTTPResponse: Sendable, Hashable {
  public var status: Int
  /// The headers by name in lower-case letters. If several headers have the same name, only the last one is stored
  /// here.
  public var headers: [String: String]
  /// The beginning of the body. The rest is dropped.
  public var body: [UInt8]

  public init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

/// Why there is no answer: no such host, no connection, a certificate that is not trusted, an incomplete answer.
public struct TransportFailure: Error, Sendable, Hashable {
  /// The error, in words and on one line, without the URL.
  public var what: String
  /// Whether this process cancelled the request because it ends. This is not the server's fault.
  public var isStop = false

  public init(_ what: String) { self.what = what }

  /// The failure of a request that was cancelled because the process ends.
  public static var stopped: Self {
    var failure = Self("stopped")
    failure.isStop = true
    return failure
  }
}
