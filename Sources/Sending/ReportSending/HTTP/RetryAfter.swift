import CrashReportModel

/// The value of an answer's header `Retry-After`: seconds, or an HTTP date (RFC 9110, sections 5.6.7 and 10.2.3).
public enum RetryAfter {
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// Returns how many seconds from `now` to wait; `nil` if the header is not valid, and 0 for a date in the past.
  public static func seconds(_ text: String, now: Timestamp) -> Double? {
    let text = text.drop { $0 == " " }
    if let seconds = Double(text), seconds.isFinite { return max(0, seconds) }
    return moment(text).map { max(0, $0.seconds(since: now)) }
  }

  /// `Sun, 06 Nov 1994 08:49:37 GMT`; the two older spellings went out of use in 1999.
  private static func moment(_ text: Substring) -> Timestamp? {
    let parts = text.split(separator: " ")
    guard parts.count == 6, parts[5] == "GMT", parts[1].count == 2, parts[3].count == 4,
      let month = months.firstIndex(of: String(parts[2]))
    else { return nil }
    let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
    return Timestamp("\(parts[3])-\(number)-\(parts[1])T\(parts[4])Z")
  }
}
