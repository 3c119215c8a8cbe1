import Glibc
import NIOCore
import NIOHTTP1
import SymbolStore

/// Answers the requests of one connection, one after the other.
final class SymbolHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  /// A connection that neither asks nor takes anything is closed after so long.
  private static let patience = TimeAmount.seconds(60)
  /// At most this many bytes are passed to the kernel at a time.
  private static let piece = 1 << 20

  private let store: StoreReader
  private var head: HTTPRequestHead?
  private var deadline: Scheduled<Void>?

  private let connection: Connections.Connection

  init(_ store: StoreReader, _ connection: Connections.Connection) {
    self.store = store
    self.connection = connection
  }

  func channelActive(context: ChannelHandlerContext) { expect(.request, context) }

  func channelInactive(context: ChannelHandlerContext) { deadline?.cancel() }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): self.head = head
    // A body is read and left: no request that is answered has one.
    case .body: break
    case .end:
      guard let head else { return }
      self.head = nil
      expect(.taking, context)
      answer(head, context)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  private enum Step {
    case request, taking
  }

  /// What follows, a request or the other side's taking of a piece, has so long.
  private func expect(_ step: Step, _ context: ChannelHandlerContext) {
    connection.waits(forRequest: step == .request)
    deadline?.cancel()
    deadline = context.eventLoop.assumeIsolated().scheduleTask(in: Self.patience) { context.close(promise: nil) }
  }

  // MARK: Answers

  private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    guard head.method == .GET || head.method == .HEAD else {
      return end(head, .methodNotAllowed, [("Allow", "GET, HEAD")], context, closes: true)
    }
    // A client that gets this takes the whole file, and the section from it.
    if WantedFile.isSection(head.uri) { return end(head, .serviceUnavailable, [], context) }
    guard let wanted = WantedFile(head.uri), let file = store.open(wanted.kind, buildID: wanted.buildID) else {
      return end(head, .notFound, [], context)
    }
    let tag = file.tag
    var headers: [(String, String)] = [("ETag", tag), ("Last-Modified", file.lastModified)]
    if head.headers[canonicalForm: "if-none-match"].contains(where: { $0 == "*" || $0 == tag || $0 == "W/\(tag)" }) {
      close(file.descriptor)
      return end(head, .notModified, headers, context)
    }
    headers += [
      ("Content-Type", "application/octet-stream"), ("Content-Length", String(file.size)),
      ("X-DEBUGINFOD-SIZE", String(file.size)), ("X-DEBUGINFOD-FILE", file.name),
    ]
    guard head.method == .GET, file.size > 0 else {
      close(file.descriptor)
      return end(head, .ok, headers, context)
    }
    write(head, .ok, headers, context)
    let handle = NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: file.descriptor)
    send(handle, from: 0, size: file.size, isLast: !head.isKeepAlive, context)
  }

  private func write(
    _ request: HTTPRequestHead, _ status: HTTPResponseStatus, _ headers: [(String, String)],
    _ context: ChannelHandlerContext
  ) {
    var head = HTTPResponseHead(version: request.version, status: status, headers: HTTPHeaders(headers))
    if !request.isKeepAlive { head.headers.replaceOrAdd(name: "Connection", value: "close") }
    context.write(wrapOutboundOut(.head(head)), promise: nil)
  }

  /// An answer without a body.
  private func end(
    _ request: HTTPRequestHead, _ status: HTTPResponseStatus, _ headers: [(String, String)],
    _ context: ChannelHandlerContext, closes: Bool = false
  ) {
    var headers = headers
    if [.notFound, .methodNotAllowed, .serviceUnavailable].contains(status) { headers.append(("Content-Length", "0")) }
    if closes, request.isKeepAlive { headers.append(("Connection", "close")) }
    write(request, status, headers, context)
    finish(closes || !request.isKeepAlive, context)
  }

  private func finish(_ closes: Bool, _ context: ChannelHandlerContext) {
    // Before the other side can see the end of this answer.
    expect(.request, context)
    let written = context.writeAndFlush(wrapOutboundOut(.end(nil)))
    if closes { written.assumeIsolated().whenComplete { _ in context.close(promise: nil) } }
  }

  /// One piece, and the next when the other side has taken it.
  private func send(
    _ file: NIOFileHandle, from start: Int, size: Int, isLast: Bool, _ context: ChannelHandlerContext
  ) {
    let end = min(start + Self.piece, size)
    let region = FileRegion(fileHandle: file, readerIndex: start, endIndex: end)
    let written = context.writeAndFlush(wrapOutboundOut(.body(.fileRegion(region))))
    written.assumeIsolated().whenComplete { [self] result in
      guard case .success = result, end < size else {
        try? file.close()
        if case .failure = result { return context.close(promise: nil) }
        return finish(isLast, context)
      }
      expect(.taking, context)
      send(file, from: end, size: size, isLast: isLast, context)
    }
  }
}

/// What a path names: `/buildid/ID/debuginfo` or `/buildid/ID/executable`.
struct WantedFile: Hashable {
  let buildID: String
  let kind: StoredFile.Kind

  /// `nil` for any other path. A store has no source files.
  init?(_ target: String) {
    let parts = Self.parts(of: target)
    guard parts.count == 2, let kind = StoredFile.Kind(rawValue: parts[1]) else { return nil }
    (buildID, self.kind) = (parts[0].lowercased(), kind)
  }

  /// Whether a path is `/buildid/ID/section/NAME`.
  static func isSection(_ target: String) -> Bool {
    let parts = parts(of: target)
    return parts.count == 3 && parts[1] == "section"
  }

  /// What stands behind `/buildid/`; nothing for any other path.
  private static func parts(of target: String) -> [String] {
    let parts = target.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count > 2, parts[0].isEmpty, parts[1] == "buildid" else { return [] }
    return parts.dropFirst(2).map(String.init)
  }
}

extension StoredFile {
  /// Changes whenever the file does.
  var tag: String {
    let parts = [changed.seconds, changed.nanoseconds, size].map { String($0, radix: 16) }
    return "\"\(parts.joined(separator: "-"))\""
  }

  /// As HTTP has dates.
  var lastModified: String {
    var (time, parts) = (time_t(changed.seconds), tm())
    gmtime_r(&time, &parts)
    var text = [CChar](repeating: 0, count: 64)
    let count = strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
    return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
