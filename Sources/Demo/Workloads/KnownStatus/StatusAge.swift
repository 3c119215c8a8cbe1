import FoundationEssentials

/// How long ago the user last gave a status.
struct KnownStatus: Sendable, Codable, Equatable {
  var text: String
  var updated: Date
}

extension KnownStatus {
  /// Whether more than so many months have gone by since, by the calendar: from 31 January one month lasts to the last
  /// day of February. A status from the future is not outdated.
  func isOutdated(afterMonths months: Int, at now: Date, calendar: Calendar = .utc) -> Bool {
    guard let limit = calendar.date(byAdding: .month, value: months, to: updated) else { return false }
    return now > limit
  }
}

extension Calendar {
  /// The same months everywhere.
  static var utc: Calendar {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }
}
