/// The name of a report's file: `<UTC, ms>-<pid>-<kind>.json`, so that names sort by time.
public struct ReportName: Sendable, Hashable {
  /// The time of the event, to the millisecond.
  public let time: Timestamp
  /// The process.
  public let pid: Int32
  /// The kind of event.
  public let kind: String

  /// Makes a name from its parts.
  public init(time: Timestamp, pid: Int32, kind: String) {
    self.time = time
    self.pid = pid
    self.kind = kind
  }

  /// Reads a name; `nil` if it has another form.
  public init?(_ text: String) {
    guard text.hasSuffix(Self.suffix), text.utf8.count < 200 else { return nil }
    let parts = text.dropLast(Self.suffix.count).split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, let time = Timestamp(fileNameText: parts[0]), let pid = Int32(parts[1]), pid > 0,
      !parts[2].isEmpty, parts[2].utf8.allSatisfy({ byte in Self.isLetterOrDigit(byte) })
    else { return nil }
    self.init(time: time, pid: pid, kind: String(parts[2]))
  }

  /// The name.
  public var text: String { "\(time.fileNameText)-\(pid)-\(kind)\(Self.suffix)" }

  /// The end of each report's name.
  public static let suffix = ".json"
  /// The ending that follows the name until the report is complete.
  public static let partialSuffix = ".partial"

  /// `name` without `.partial`: the name that the file gets as soon as its report is complete.
  public static func whole(_ name: String) -> String {
    name.hasSuffix(partialSuffix) ? String(name.dropLast(partialSuffix.count)) : name
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
  }
}
