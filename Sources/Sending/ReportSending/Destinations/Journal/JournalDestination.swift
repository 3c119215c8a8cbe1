import CReportParts
import CrashReportModel
import LinuxCalls

/// The journal of systemd on this machine, for `journalctl` and `coredumpctl`.
public struct JournalDestination: Destination {
  public static let kind = "journal"
  public static let place = ""
  public static let summary = "a record in systemd's journal, for journalctl and coredumpctl"

  public init(_ place: String, _ settings: DestinationSettings) throws(DestinationError) {
    guard place.isEmpty else { throw DestinationError("journal takes no place: it is always this machine's journal") }
    guard settings.headers.isEmpty else { throw DestinationError("journal takes no --headers") }
  }

  public var identity: String { Self.kind }

  public var ownTransport: (any Transport)? { JournalTransport() }

  public func request(for event: SentEvent, now: Timestamp, isSmall: Bool) -> HTTPRequest {
    let record =
      switch event.content {
      case .report(let report): JournalRecord(report, event.id, owner: event.owner)
      case .count(let count): JournalRecord(count, event.id)
      }
    return HTTPRequest(url: Self.kind, headers: [], body: record.bytes)
  }
}

/// Hands the body of a request to the journal.
private struct JournalTransport: Transport {
  /// A journal that has much to do may need so long, in nanoseconds.
  private static let longestWait: UInt64 = 10_000_000_000

  func send(_ request: HTTPRequest) throws(TransportFailure) -> HTTPResponse {
    let code = request.body.withUnsafeBytes { bytes in
      crp_journal_send(bytes.baseAddress, bytes.count, Self.longestWait)
    }
    guard code == 0 else { throw TransportFailure("cannot send to the journal's socket: \(errorText(code))") }
    return HTTPResponse(status: 200)
  }
}
