import NIOCore
import Synchronization

/// The connections of a server, up to a limit.
///
/// Clients that hold connections and neither ask nor take anything keep no other one out: if there is no room, the
/// connection that waits for its client is closed, of the client that has most of them, and of those the one that has
/// waited longest. No client's connection is closed for another client that has more.
package final class Connections: Sendable {
  /// One connection. Used by its event loop, and by a thread that looks for room.
  package final class Connection: Sendable {
    /// What it waits for.
    private struct Wait {
      var isForRequest = true
      var since = NIODeadline.now()
    }

    let peer: [UInt8]
    private let channel: any Channel
    private let wait = Mutex<Wait?>(Wait())

    init(_ channel: any Channel) {
      self.channel = channel
      peer = Self.peer(at: channel.remoteAddress)
    }

    /// From now on it waits for a request, or for its client to take the next piece of an answer.
    package func waits(forRequest isForRequest: Bool) { wait.withLock { $0 = Wait(isForRequest: isForRequest) } }

    /// From now on its client waits for the server.
    package func works() { wait.withLock { $0 = nil } }

    /// Since when it waits; `nil` if it does not, or has not waited long for a client that takes an answer.
    fileprivate func idle(at now: NIODeadline) -> NIODeadline? {
      wait.withLock { wait in
        wait.flatMap { $0.isForRequest || now - $0.since >= Connections.leastStall ? $0.since : nil }
      }
    }

    fileprivate func close() { channel.close(promise: nil) }

    /// Who is at the other end. A client may have 64 bits of IPv6 addresses for itself.
    private static func peer(at address: SocketAddress?) -> [UInt8] {
      switch address {
      case .v4(let address): return withUnsafeBytes(of: address.address.sin_addr) { Array($0) }
      case .v6(let address):
        let bytes = withUnsafeBytes(of: address.address.sin6_addr) { Array($0) }
        return bytes.prefix(10).contains { $0 != 0 } ? Array(bytes.prefix(8)) : bytes
      default: return []
      }
    }
  }

  /// A client that takes a piece within this time is not one that holds a connection.
  fileprivate static let leastStall = TimeAmount.seconds(1)

  private let limit: Int
  private let present = Mutex<[ObjectIdentifier: Connection]>([:])

  /// Has room for `limit` connections.
  package init(limit: Int) { self.limit = limit }

  /// Takes one more, and closes another one for it if there are too many. Returns `nil` if none may be closed.
  package func take(_ channel: any Channel) -> Connection? {
    let new = Connection(channel)
    let (isTaken, closed) = present.withLock { present -> (Bool, Connection?) in
      var closed: Connection?
      if present.count >= limit {
        closed = Self.leastWorth(of: present.values, for: new.peer)
        guard let closed else { return (false, nil) }
        present[ObjectIdentifier(closed)] = nil
      }
      present[ObjectIdentifier(new)] = new
      return (true, closed)
    }
    closed?.close()
    return isTaken ? new : nil
  }

  /// Makes its room free.
  package func remove(_ connection: Connection) { present.withLock { $0[ObjectIdentifier(connection)] = nil } }

  private static func leastWorth(of connections: some Collection<Connection>, for peer: [UInt8]) -> Connection? {
    let now = NIODeadline.now()
    let counts = connections.reduce(into: [[UInt8]: Int]()) { $0[$1.peer, default: 0] += 1 }
    var found: (connection: Connection, count: Int, since: NIODeadline)?
    for connection in connections {
      guard let since = connection.idle(at: now), let count = counts[connection.peer] else { continue }
      guard connection.peer == peer || count > counts[peer, default: 0] else { continue }
      if let found, (found.count, since) >= (count, found.since) { continue }
      found = (connection, count, since)
    }
    return found?.connection
  }
}
