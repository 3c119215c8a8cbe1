import CrashReportModel
import CrashReportView

/// A stack as lines of text, innermost first.
enum StackText {
  /// `0  price(of:)  at /src/Book.swift:12`, and `3  0x…  in libc.so.6` of a frame without a name.
  static func lines(of frames: [CrashReport.Frame]?) -> [String] {
    (frames ?? []).enumerated().map { number, frame in
      switch frame.kind {
      case .omittedFrames: return "\(number)  … \(frame.count.map { counted($0, "frame") } ?? "frames") left out"
      case .truncated: return "\(number)  … the stack goes on"
      default: break
      }
      var line = "\(number)  \(frame.name ?? frame.address?.description ?? "?")"
      if let file = frame.sourceLocation?.file {
        line += "  at \(file)" + (frame.sourceLocation?.line.map { ":\($0)" } ?? "")
      } else if let image = frame.image {
        line += "  in \(image)"
      }
      return line
    }
  }
}

extension CrashReport {
  /// The stack that stands for the report: of a violation, where the rule was broken.
  var shownFrames: [Frame]? {
    let stack = violation?.stacks?.first?.frames ?? violation?.edges?.last?.toFrames
    return stack ?? aboutFrames ?? hang?.samples?.first?.frames
  }

  /// What a tool calls the fault: the signal of a crash; of others the kind, with the rule if one was broken.
  var faultName: String {
    let kind = kind?.rawValue ?? Kind.crashReport.rawValue
    return violation?.code.map { "\(kind)/\($0)" } ?? signal?.name ?? kind
  }

  /// What the program said, or why it happened.
  var faultText: String { violation?.message ?? message ?? reason ?? headline }

  /// Whether the process died of it.
  var isFatal: Bool { kind == nil || kind == .crashReport || kind == .uncleanExit }
}
