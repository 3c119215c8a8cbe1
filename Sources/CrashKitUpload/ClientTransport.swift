#if CrashKitUpload
  import AsyncHTTPClient
  import Dispatch
  import NIOCore
  import NIOSSL
  import ReportSending
  import Synchronization

  /// Sends requests with AsyncHTTPClient. It always checks certificates and host names, and follows no redirect.
  final class ClientTransport: Transport {
    private static let largestBody = 64 << 10

    private struct State {
      var isStopped = false
      var task: Task<Void, Never>?
    }

    private let client: HTTPClient
    private let timeLimit: Duration
    private let state = Mutex(State())

    /// - Throws: If the file of certificates cannot be read.
    init(_ settings: CrashKitUpload.Configuration) throws {
      var encryption = TLSConfiguration.makeClientConfiguration()
      if let file = settings.certificateFile {
        encryption.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(file))
      }
      var configuration = HTTPClient.Configuration(tlsConfiguration: encryption, redirectConfiguration: .disallow)
      configuration.timeout.connect = .seconds(10)
      if let proxy = settings.proxy { configuration.proxy = .server(host: proxy.host, port: proxy.port) }
      client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
      timeLimit = settings.timeLimit
    }

    /// Waits for the answer, on a thread that may wait.
    func send(_ request: HTTPRequest) throws(TransportFailure) -> HTTPResponse {
      let pending = Pending()
      let isBegun = state.withLock { state in
        guard !state.isStopped else { return false }
        state.task = Task {
          pending.end(await self.answer(to: request))
        }
        return true
      }
      guard isBegun else { throw .stopped }
      defer { state.withLock { $0.task = nil } }
      return try pending.wait().get()
    }

    /// Begins no more requests.
    func stop() { state.withLock { $0.isStopped = true } }

    /// Gives up the one under way.
    func cancel() { state.withLock { $0.task?.cancel() } }

    /// Closes the connections. Nothing can be sent afterwards.
    func close() {
      stop()
      try? client.syncShutdown()
    }

    private func answer(to request: HTTPRequest) async -> Result<HTTPResponse, TransportFailure> {
      var wanted = HTTPClientRequest(url: request.url)
      wanted.method = .RAW(value: request.method.rawValue)
      for header in request.headers { wanted.headers.add(name: header.name, value: header.value) }
      wanted.body = .bytes(ByteBuffer(bytes: request.body))
      do {
        let answer = try await client.execute(wanted, timeout: TimeAmount(timeLimit))
        var body: [UInt8] = []
        for try await piece in answer.body {
          body += piece.readableBytesView.prefix(Self.largestBody - body.count)
          // What is behind the part that is kept is not waited for.
          if body.count == Self.largestBody { break }
        }
        var headers: [String: String] = [:]
        for header in answer.headers { headers[header.name.lowercased()] = header.value }
        return .success(HTTPResponse(status: Int(answer.status.code), headers: headers, body: body))
      } catch {
        if Task.isCancelled { return .failure(.stopped) }
        return .failure(TransportFailure("the request failed: \(error)"))
      }
    }
  }

  /// An answer that a thread waits for.
  private final class Pending: Sendable {
    private let answer = Mutex<Result<HTTPResponse, TransportFailure>?>(nil)
    private let hasEnded = DispatchSemaphore(value: 0)

    func end(_ answer: Result<HTTPResponse, TransportFailure>) {
      self.answer.withLock { $0 = answer }
      hasEnded.signal()
    }

    func wait() -> Result<HTTPResponse, TransportFailure> {
      hasEnded.wait()
      return answer.withLock { $0 } ?? .failure(.stopped)
    }
  }
#endif
