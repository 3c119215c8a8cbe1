import CrashReportModel

extension Figures {
  /// The time of day at `date`, in seconds since 1970.
  static func time(_ date: Double, _ style: ViewStyle) -> String {
    let seconds = (Int(date) + style.timeOffset) % 86400
    let ofDay = seconds < 0 ? seconds + 86400 : seconds
    return [ofDay / 3600, ofDay / 60 % 60, ofDay % 60].map { ($0 < 10 ? "0" : "") + String($0) }.joined(separator: ":")
  }
}
